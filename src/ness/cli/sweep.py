"""`ness sweep`: find good settings by cross-validation on the training data."""

import json
from pathlib import Path
from typing import Annotated

import typer

from ness.cli.where import DryRunOption, JobsOption, MemoryOption, RayOption


def sweep(
    train: Annotated[
        str, typer.Argument(metavar="TRAIN", help="A file of training examples, or a task (see `ness tasks`).")
    ],
    settings: Annotated[
        list[str],
        typer.Option("--set", metavar="KEY=VALUES", help="A setting and its values: 3,5 or 0.5..3; may be repeated."),
    ],
    seeds: Annotated[int, typer.Option(min=1, help="Seeds of each setting and fold.")] = 1,
    folds: Annotated[int, typer.Option(min=2, help="Parts that are held out in turn, at random.")] = 3,
    long: Annotated[bool, typer.Option("--long/--no-long", help="Also hold out the longest inputs.")] = True,
    sample: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Try so many settings at random instead of all.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="How long one training may take.")
    ] = 300.0,
    jobs: JobsOption = None,
    ray: RayOption = None,
    memory: MemoryOption = 0.0,
    minutes: Annotated[
        float | None, typer.Option(min=0, help="Stop after so many minutes, with the table of what there is.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Runs and report (default: runs/sweep-NAME).")
    ] = None,
    dry_run: DryRunOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
) -> None:
    """Try settings and say which are best, without a look at any test data.

    Each setting learns from a part of the training examples and is judged by the rest: parts at random, and the
    longest inputs. DIR/best.toml has the best settings, DIR/report.html plots. Killed or interrupted, the same command
    goes on; so does one with more values, seeds or folds.

    \b
    ness sweep train.tsv --set learner.survivors=3,5 --set costs.literal=0.5,1 --seeds 5
    ness sweep train.tsv --set learner.noise=0.5..3 --sample 20 --jobs 2
    ness train train.tsv --config runs/sweep-train/best.toml
    """
    from ness.cli.runs import check_folder, do_runs, exit_if_failed, print_outcome
    from ness.cli.sources import load_source, short_name
    from ness.cli.where import print_plan, resources_of, search_workers
    from ness.data import is_task
    from ness.errors import ConfigError
    from ness.experiments.environment import version_of_code
    from ness.experiments.folds import folds_of, held_out
    from ness.experiments.page import check_installed
    from ness.experiments.report import Context
    from ness.experiments.results import results_json
    from ness.experiments.summary import Results
    from ness.experiments.sweep import (
        Axis,
        command_of,
        figures_of,
        points_of,
        sweep_html,
        sweep_runs,
        sweep_table,
        toml_of,
    )
    from ness.files import json_bytes, write_atomically

    check_installed()
    if train == "-":
        raise ConfigError("standard input can be read only once; give a file")
    points = points_of([Axis.of(text) for text in settings], sample)
    examples = load_source(train).train
    names = folds_of(examples, folds, long)
    for name in names:  # told before anything is run
        held_out(examples, name, seed=0)
    files = [] if is_task(train) else [Path(train).resolve()]
    folder = out or Path("runs") / f"sweep-{short_name(train)}"
    check_folder(folder)
    task = train if not files else files[0].name
    runs = sweep_runs(points, names, seeds, task, time_limit, files)
    workers = search_workers(jobs, ray)
    takes = resources_of(runs[0], workers, "cpu", 0.0, memory)
    if dry_run:
        print_plan(runs, folder / "runs", jobs, lambda _: takes)
        return
    data = {str(file): examples for file in files}
    records = do_runs(runs, folder / "runs", jobs, ray, workers, lambda _: takes, data=data, minutes=minutes)
    if not records:
        raise ConfigError(f"no run was finished in {minutes:g} minutes; the same command goes on, give it more time")
    results, figures = Results(records), figures_of(points, records)
    options = {"seeds": seeds, "folds": folds, "no-long": not long, "sample": sample, "time-limit": f"{time_limit:g}"}
    command = command_of(train, settings, options)
    table, best = sweep_table(figures), folder / "best.toml"
    context = Context(command, {}, seeds, False, version_of_code())
    values = results_json(results, {"sweep": [table]}, context) | {"best": list(figures[0].point)}
    write_atomically(folder / "results.json", json_bytes(values))
    head = f"# {command}\n# held-out accuracy {figures[0].score:.4f}, the best of {len(figures)} settings\n"
    write_atomically(best, (head + toml_of(figures[0].point)).encode())
    page = sweep_html(results, figures, task, command, seeds, context.version)
    write_atomically(folder / "report.html", page.encode())
    if as_json:
        print(json.dumps(values, ensure_ascii=False, indent=1))
    else:
        left = len(runs) - len(records)
        notes = [f"not run, for want of time: {left} of {len(runs)} runs"] if left else []
        notes += [f"best: {', '.join(figures[0].point)}", f"train with: ness train {train} --config {best}"]
        print_outcome([table], results, notes, folder / "report.html")
    exit_if_failed(results)
