"""`ness train`: learn a model from a built-in task or a file of examples."""

import dataclasses
import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ness.cli.spelling import Lowercase, TargetTokens, Tokens, chosen_spelling
from ness.cli.where import RayOption

if TYPE_CHECKING:
    from ness.data import Task
    from ness.model.summary import Summary
    from ness.rules.hand import HandRules

NEXT_TO_NOTHING = 3  # exit code: the training went through, but the model is of hardly any use


def train(
    source: Annotated[str, typer.Argument(metavar="TASK-or-FILE", help="A task, a file, '-'; with --more also a RUN.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="RUN", help="Folder for the model (default: runs/NAME).")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Makes runs differ, and repeatable.")] = None,
    preset: Annotated[
        str | None, typer.Option(help="Settings by name: paper, translation (default: the task's own).")
    ] = None,
    config_file: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Settings in a TOML file, as `ness sweep` writes.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change one setting; may be repeated.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what an earlier run left in RUN; lines may have been added.")
    ] = False,
    more: Annotated[
        Path | None, typer.Option("--more", metavar="FILE", help="Learn these examples too; goes on as --resume does.")
    ] = None,
    rules: Annotated[
        Path | None, typer.Option("--rules", metavar="FILE", help="Rules by hand to obey (see `ness rules --out`).")
    ] = None,
    tokens: Tokens = None,
    target_tokens: TargetTokens = None,
    lowercase: Lowercase = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a finished model in RUN.")] = False,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    rules_only: Annotated[bool, typer.Option("--rules-only", help="Learn rules, train no network.")] = False,
    time_limit: Annotated[
        float | None, typer.Option(min=0.1, metavar="SECONDS", help="Stop with what there is by then (default: 300).")
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="Where the files of translation or COGS are.")
    ] = None,
    clean: Annotated[
        Path | None, typer.Option("--clean", metavar="FILE", help="Write the examples here, suspicious ones mended.")
    ] = None,
    leave_out: Annotated[
        bool, typer.Option("--leave-out", help="With --clean: leave suspicious examples out instead of mending them.")
    ] = False,
    ray: RayOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Learn a translator from examples.

    A file has one example a line: the source, a tab, the target, words separated by spaces (CSV and JSON lines with
    "source" and "target" are fine, so is gzip). The model goes to a folder; a summary says what to do next.

    \b
    ness train my.tsv --out runs/my
    ness train scan/length --rules-only
    ness train my.tsv --set search.max_reduce_length=3 --time-limit 60
    ness train my.tsv --more new.tsv
    ness train my.tsv --clean mended.tsv [--leave-out]
    ness train runs/my --more new.tsv
    ness train my.tsv --rules rules.txt
    ness train my.csv --tokens punctuation --lowercase
    """
    from ness.cli.progress import TrainingProgress
    from ness.cli.sources import load_source, say, short_name
    from ness.cli.summary import print_summary
    from ness.errors import ConfigError
    from ness.execute.choose import chosen_executor
    from ness.files import sole_writer
    from ness.model.run_folder import MANIFEST, WEIGHTS, RunFolder
    from ness.model.train import train as train_model
    from ness.settings import presets, resolve

    own = source if source in presets() else None  # a task's settings, if there are any
    config = resolve(preset or own, settings or (), seed, config_file)
    if time_limit is not None:
        config = dataclasses.replace(config, learner=dataclasses.replace(config.learner, time_limit=time_limit))
    is_run = (Path(source) / MANIFEST).exists()
    folder = out or (Path(source) if is_run else Path("runs") / short_name(source))
    resume = resume or (more is not None and (folder / MANIFEST).exists())
    # A run that goes on by itself stays what it was: without a network, if it has none.
    rules_only = rules_only or (is_run and WEIGHTS not in RunFolder(Path(source)).manifest.files)
    hand = _hand(rules, folder if resume else None)
    spelling = chosen_spelling(
        tokens, target_tokens, lowercase, folder if resume and (folder / MANIFEST).exists() else None
    )
    task = load_source(source, config.seed, data_dir, spelling, more, fit=True)
    if task.of_the_paper and not any(setting.startswith("machine=") for setting in settings or ()):
        config = dataclasses.replace(config, machine="paper")
    if not resume and not force and (folder / MANIFEST).exists():
        raise ConfigError(f"{folder} holds a finished model; go on from it with --resume, or replace it with --force")
    if clean is not None and clean.exists():
        raise ConfigError(f"{clean} exists; choose another file for the mended examples")
    if leave_out and clean is None:
        raise ConfigError("--leave-out says what --clean FILE writes; name that file, too")
    places = nullcontext() if ray is None else chosen_executor(None, ray)
    progress = TrainingProgress(config.learner.time_limit, quiet)
    with sole_writer(folder), places as executor, progress as view, _request_to_end_as_ctrl_c():
        try:
            model = train_model(
                task.train,
                config,
                folder,
                task=task.name,
                spelling=task.spelling,
                hand=hand,
                lessons=task.lessons,
                rules_only=rules_only,
                resume=resume,
                device=device,
                progress=view,
                executor=executor,
            )
        except KeyboardInterrupt:
            say(f"go on with the same command and --resume (the folder is {folder})")
            raise
    print_summary(model, folder, data_dir, task.lines)
    if clean is not None:
        _write_clean(clean, task, model.summary, leave_out)
    if model.summary.next_to_nothing:
        raise typer.Exit(NEXT_TO_NOTHING)


def _write_clean(path: Path, task: "Task", summary: "Summary", leave_out: bool) -> None:
    """Write the examples as they are spelled, without suspicious ones, or with the expected outputs in their place."""
    from ness.data.example import Example
    from ness.data.files import write_tsv

    mended = {suspect.example: suspect.mended for suspect in summary.suspicious}
    kept = [mended.get(example, example) for example in task.train if not leave_out or example not in mended]
    spelling = task.spelling
    write_tsv(path, [Example((spelling.join_source(source),), (spelling.join(target),)) for source, target in kept])
    done = "left out" if leave_out else "mended"
    print(f"clean          {path}, {len(mended)} of {len(task.train)} examples {done}; look at them before you go on")


def _hand(path: Path | None, run: Path | None) -> "HandRules":
    """Read the rules by hand: of a file, else those of a run to go on from."""
    from ness.model.hand_rules import read_hand
    from ness.model.run_folder import MANIFEST, RunFolder
    from ness.rules.hand import NO_RULES

    if path is not None:
        return read_hand(path)
    return RunFolder(run).hand() if run is not None and (run / MANIFEST).exists() else NO_RULES


@contextmanager
def _request_to_end_as_ctrl_c() -> Iterator[None]:
    """Let SIGTERM and a hang-up end training as Ctrl-C does: with what there is, and with no process left behind."""
    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]  # Windows has no hang-up
    asked = [getattr(signal, name) for name in names]
    before = {sign: signal.getsignal(sign) for sign in asked}
    for sign in asked:
        if before[sign] is not signal.SIG_IGN:  # as nohup leaves it
            signal.signal(sign, signal.default_int_handler)
    try:
        yield
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)
