"""`ness compare`: several systems on the same data, side by side."""

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ness.cli.spelling import Lowercase, TargetTokens, Tokens, chosen_spelling
from ness.cli.where import DryRunOption, GpuOption, JobsOption, MemoryOption, RayOption

if TYPE_CHECKING:
    from ness.data import Spelling


def compare(
    train: Annotated[
        str | None, typer.Argument(metavar="TRAIN", help="A file of training examples, or a task (see `ness tasks`).")
    ] = None,
    tests: Annotated[
        list[Path] | None, typer.Argument(metavar="[TEST]...", help="Files of test examples; a task has its own.")
    ] = None,
    systems: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Such as ness,lstm,geca; all; help lists them (default: ness,lstm,transformer)."
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each system.")] = 1,
    jobs: JobsOption = None,
    ray: RayOption = None,
    gpu: GpuOption = 0.0,
    memory: MemoryOption = 0.0,
    dry_run: DryRunOption = False,
    minutes: Annotated[
        float, typer.Option(min=0.01, help="How long one training may take; it ends with what it has by then.")
    ] = 10.0,
    tokens: Tokens = None,
    target_tokens: TargetTokens = None,
    lowercase: Lowercase = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SYSTEM.KEY=VALUE", help="Change a setting, as geca.steps=500; may be repeated."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Runs and report (default: runs/compare-NAME)."),
    ] = None,
    device: Annotated[str, typer.Option(help="Where other systems than NeSS are trained: auto, cpu or cuda.")] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Train several systems on the same examples and ask them the same questions.

    Prints accuracy by input length, training accuracy, seconds and parameters; DIR/report.html also has plots and
    mistakes, DIR/results.json every figure. Killed or interrupted, the same command goes on; a run that fails is one
    line. Test data is never used to choose anything.

    \b
    ness compare train.tsv test.tsv
    ness compare train.tsv test.tsv --systems ness,lstm,transformer,geca --seeds 3 --jobs 2
    ness compare scan/jump --systems ness,syntactic --set syntactic.steps=1000
    """
    from functools import partial

    from ness.cli.runs import check_folder, do_runs, exit_if_failed, print_outcome
    from ness.cli.sources import short_name
    from ness.cli.where import device_of, print_plan, resources_of, search_workers
    from ness.data import read_examples
    from ness.data.spelling import PLAIN
    from ness.errors import ConfigError
    from ness.experiments.comparison import comparison_html, comparison_tables, runs_of, settings_by_system
    from ness.experiments.environment import version_of_code
    from ness.experiments.page import check_installed
    from ness.experiments.report import Context
    from ness.experiments.results import results_json
    from ness.experiments.rivals import chosen_systems
    from ness.experiments.summary import Results
    from ness.experiments.systems.listing import systems_text
    from ness.files import json_bytes, write_atomically

    if systems == "help":
        print(systems_text())
        return
    if train is None:
        raise ConfigError("name a training file and a test file: ness compare train.tsv test.tsv")
    check_installed()
    chosen = chosen_systems(systems)
    files, sets = _data(train, tests or [])
    folder = out or Path("runs") / f"compare-{short_name(train)}"
    check_folder(folder)
    spelling = chosen_spelling(tokens, target_tokens, lowercase)
    if files and spelling != PLAIN:
        files = _cut(files, spelling, folder / "data")
    data = {str(file): read_examples(file).examples for file in files}
    changes = settings_by_system(settings or (), chosen)
    task = train if not files else Path(train).name
    runs = runs_of(chosen, task, sets, seeds, 60 * minutes, changes, files)
    workers = search_workers(jobs, ray)
    takes = partial(resources_of, workers=workers, device=device, gpu=gpu, memory=memory)
    if dry_run:
        print_plan(runs, folder / "runs", jobs, takes)
        return
    device = device_of(device, ray)
    results = Results(do_runs(runs, folder / "runs", jobs, ray, workers, takes, device, data))
    made = comparison_tables(results, task, sets)
    words = ["ness", "compare", train, *map(str, tests or ()), "--systems", ",".join(chosen), "--seeds", str(seeds)]
    words += _spelling_options(tokens, target_tokens, lowercase)
    words += ["--minutes", f"{minutes:g}", *(part for one in settings or () for part in ("--set", one))]
    context = Context(shlex.join(words), {}, seeds, False, version_of_code())
    values = results_json(results, {"compare": made}, context)
    write_atomically(folder / "results.json", json_bytes(values))
    page = comparison_html(results, task, sets, context.command, seeds, context.version)
    write_atomically(folder / "report.html", page.encode())
    if as_json:
        print(json.dumps(values, ensure_ascii=False, indent=1))
    else:
        print_outcome(made, results, (), folder / "report.html")
    exit_if_failed(results)


def _data(train: str, tests: list[Path]) -> tuple[list[Path], list[str]]:
    """Tell what the data is before anything is run: the files, none for a task, and the names of the test sets."""
    from ness.cli.sources import short_name
    from ness.data import is_task, load_task
    from ness.errors import ConfigError

    if is_task(train) and not tests:
        return [], list(load_task(train).tests)
    if train == "-" or Path("-") in tests:
        raise ConfigError("standard input can be read only once; give files")
    if not tests:
        raise ConfigError(f"give a test file, too: ness compare {train} TEST")
    files = [Path(train).resolve(), *(test.resolve() for test in tests)]
    names = [short_name(str(test)) for test in tests]
    return files, [f"{name}-{place}" if names.count(name) > 1 else name for place, name in enumerate(names, 1)]


def _spelling_options(tokens: str | None, target_tokens: str | None, lowercase: bool) -> list[str]:
    """Write the options again, for the report."""
    named = {"--tokens": tokens, "--target-tokens": target_tokens}
    options = [part for name, value in named.items() if value for part in (name, value)]
    return [*options, *(["--lowercase"] if lowercase else [])]


def _cut(files: list[Path], spelling: "Spelling", folder: Path) -> list[Path]:
    """Cut the texts of files into tokens once for all systems; return the files that hold these."""
    from ness.data.files import examples_of, fitted_to, read_pairs, write_jsonl

    contents = [read_pairs(file) for file in files]
    learned = fitted_to(contents[0], spelling)  # from the training file alone
    written = [folder.resolve() / f"{place}-{file.name}.jsonl" for place, file in enumerate(files)]
    for path, rows in zip(written, contents, strict=True):
        write_jsonl(path, examples_of(rows, learned).examples)
    return written
