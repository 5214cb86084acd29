"""Compare variants of the paper's loop: every run of variant, task and seed leaves one JSON record.

    python benchmarks/paper_variants.py --jobs 16 --minutes 9 --out records --states states
    python benchmarks/paper_variants.py --table --out records
    python benchmarks/paper_variants.py --compact docs/records/paper-loop.jsonl --out records
    python benchmarks/paper_variants.py --markdown docs/results-paper-loop.md --out docs/records/paper-loop.jsonl
    python benchmarks/paper_variants.py --report loop.html --images docs/images --out docs/records/paper-loop.jsonl

Runs begin in the order of their value. A record is written after each lesson, so a run that is killed shows how far it
came; one that is finished is not repeated, and with --states one that is not goes on from its last lesson.
"""

import argparse
import json
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

SMALL = ("controller.embedding_size=64", "controller.hidden_size=64")
LOCAL = ("controller.input_encoder=word", "controller.frame_words=category", "controller.pointer_second_frame=false")
HARD = ("controller.categories=hard", "loop.categories=substitution")
SAMPLES = ("loop.samples=8",)
ONE = ("loop.loops=1",)
LATE = ("loop.introduced=false", "loop.analogies=false", "loop.foresight=0")  # points 14 to 16 left out
_LEAST = 2.0  # minutes that are left for a run to begin
SHOWN = 20  # mistakes of the rules that a record keeps
TESTED = 500  # inputs of a test set, drawn with a seed of their own
# What table and plots need of a record, and of each of its lessons.
NEEDED = ("variant", "task", "seed", "minutes", "ended", "cut_off", "steps", "seconds", "loops", "network", "rules")
NEEDED_OF_LESSON = (
    "lesson",
    "examples",
    "traced",
    "contradictory",
    "contradictory_steps",
    "reference_steps",
    "category_pairs",
    "gradient_steps",
    "seconds",
)


class Variant(NamedTuple):
    """Settings to run under a name."""

    preset: str
    settings: tuple[str, ...] = ()


VARIANTS = {
    "as published, 512/256": Variant("paper"),
    "as published": Variant("paper", SMALL),
    "local input encoder": Variant("paper", (*SMALL, LOCAL[0])),
    "frames as categories": Variant("paper", (*SMALL, LOCAL[1])),
    "hard categories by substitution": Variant("paper", (*SMALL, *HARD)),
    "rule conflicts by count": Variant("paper", (*SMALL, "loop.conflicts=count")),
    "8 samples, most probable": Variant("paper", (*SMALL, *SAMPLES, "loop.keep=probable")),
    "8 samples, most conforming": Variant("paper", (*SMALL, *SAMPLES, "loop.keep=conforming")),
    "exploration 0.2": Variant("paper", (*SMALL, "loop.exploration=0.2")),
    "replay of 256 traces": Variant("paper", (*SMALL, "loop.replay=256")),
    "default initialisation": Variant("paper", (*SMALL, "controller.initialization=default")),
    "all of these": Variant(
        "paper",
        (*SMALL, *LOCAL, *HARD, *SAMPLES, "loop.conflicts=count", "loop.keep=conforming", "loop.replay=256"),
    ),
    "paper-loop": Variant("paper-loop"),
    "paper-loop without points 13 to 16": Variant("paper-loop", (*LATE, "loop.share=1")),
    "paper-loop without points 11 to 16": Variant(
        "paper-loop", (*LATE, "loop.swapped=false", "loop.persist=false", "loop.suspects=rare", "loop.share=1")
    ),
    "paper-loop without points 14 to 16": Variant("paper-loop", LATE),
    **{f"paper-loop without point {14 + number}": Variant("paper-loop", (point,)) for number, point in enumerate(LATE)},
    "paper-loop, one loop": Variant("paper-loop", ONE),
    "paper-loop, one loop, one set of traces": Variant("paper-loop", (*ONE, "loop.population=1")),
    "paper-loop, one loop, no changes": Variant("paper-loop", (*ONE, "loop.changes=0")),
    "paper-loop, one loop, most conforming": Variant("paper-loop", (*ONE, "loop.keep=conforming")),
    "paper-loop, one loop, no later lessons": Variant("paper-loop", (*ONE, "loop.lookahead=0")),
    "paper-loop, one loop, no network in the search": Variant("paper-loop", (*ONE, "loop.guided=false")),
    "paper-loop, one loop, no imagined inputs": Variant("paper-loop", (*ONE, "loop.imagined=false")),
    "paper-loop, one loop, no recombined inputs": Variant("paper-loop", (*ONE, "loop.recombined=0")),
    "paper-loop, one loop, no exchanged words": Variant("paper-loop", (*ONE, "loop.exchanged=0")),
    "paper-loop, one loop, no swapped words": Variant("paper-loop", (*ONE, "loop.swapped=false")),
    "paper-loop, one loop, words swapped if often shown": Variant("paper-loop", (*ONE, "loop.introduced=false")),
    "paper-loop, one loop, no analogies": Variant("paper-loop", (*ONE, "loop.analogies=false")),
    "paper-loop, one loop, 10 nats for each later example": Variant("paper-loop", (*ONE, "loop.foresight=0")),
    "paper-loop, one loop, changes counted always": Variant("paper-loop", (*ONE, "loop.persist=false")),
    "paper-loop, one loop, rare decisions given up": Variant("paper-loop", (*ONE, "loop.suspects=rare")),
    "paper-loop, one loop, all sets and changes": Variant("paper-loop", (*ONE, "loop.settle=false")),
}
SINGLE = [name for name in VARIANTS if name not in ("as published, 512/256", "all of these") and "paper-" not in name]


class Run(NamedTuple):
    """One training, with the most minutes it may take; a fifth of them is for the end of training and the test."""

    variant: str
    task: str
    seed: int
    minutes: float
    device: str = "cpu"

    @property
    def file(self) -> str:
        name = f"{self.variant} {self.task} {self.seed}"
        return "".join(c if c.isalnum() else "-" for c in name) + ".json"


def plan(seeds: int, minutes: float, device: str) -> list[Run]:
    """List the runs, the most valuable first."""
    numbers = range(seeds)
    shares = {  # of the time for all: with 16 jobs length follows around right
        "cfg/lambda:curriculum": 0.95,
        "scan/jump": 0.95,
        "scan/around_right": 0.55,
        "scan/length": 0.55,
        "fewshot": 0.15,
    }
    runs = [Run("paper-loop", task, seed, minutes * share) for task, share in shares.items() for seed in numbers]
    without = [name for name in VARIANTS if name.startswith("paper-loop, one loop")]
    runs += [
        Run("paper-loop, one loop, no swapped words", "scan/around_right", seed, minutes * 0.3) for seed in numbers
    ]
    runs += [Run(name, "fewshot", seed, minutes * 0.1) for seed in numbers for name in without]
    runs += [Run(name, "fewshot", seed, minutes * 0.1) for seed in numbers for name in (*SINGLE, "all of these")]
    # Parsing, seed 0, is what failed without all three.
    late = [name for name in VARIANTS if name.startswith("paper-loop without point ")]
    runs += [Run(name, "cfg/lambda:curriculum", 0, minutes * shares["cfg/lambda:curriculum"]) for name in late]
    singly = [name for name in (*SINGLE, "all of these") if name != "as published"]
    runs += [Run(name, task, 0, minutes) for task in ("scan/length", "scan/jump") for name in singly]
    runs += [Run("as published, 512/256", "scan/length", 0, minutes, device)]
    runs += [Run("as published", task, seed, minutes) for task in ("scan/length", "scan/jump") for seed in numbers]
    return runs


def measure(run: Run, folder: Path, states: Path | None = None) -> dict[str, Any]:
    """Train and test; keep the record up to date in a file, and the state of the loop in a folder."""
    from ness.answer.evaluation import evaluate
    from ness.answer.network_engine import controller_engine
    from ness.answer.rule_engine import RuleEngine
    from ness.data.tasks import load_task
    from ness.learn.learner import learn
    from ness.model.teacher import rules_as_teacher
    from ness.paper.diagnosis import LessonDiagnosis
    from ness.paper.loop import learn_as_in_the_paper
    from ness.settings import resolve

    task = load_task(run.task)
    preset, settings = VARIANTS[run.variant]
    config = resolve(preset, [*settings, f"learner.time_limit={run.minutes * 48:.0f}"], seed=run.seed)
    record: dict[str, Any] = {**run._asdict(), "ended": False, "lessons": []}
    reference = resolve(None, ["learner.time_limit=60", "learner.workers=1"])
    table = learn(task.train, reference, task.lessons).table
    state = None if states is None else states / Path(run.file).stem
    started = time.monotonic() - (0.0 if state is None else _seconds_so_far(folder / run.file))

    def report(event: object) -> None:
        if isinstance(event, LessonDiagnosis):
            record["lessons"].append(asdict(event))
        _write(folder / run.file, {**record, "seconds": time.monotonic() - started, "latest": str(event)})

    taught = {"reference": table, "teacher": rules_as_teacher(config)}
    done = learn_as_in_the_paper(task.train, config, task.lessons, report, run.device, state, **taught)
    record |= {
        "ended": True,
        "cut_off": done.cut_off,
        "steps": done.steps,
        "seconds": time.monotonic() - started,
        "lessons": [asdict(each) for each in done.lessons],  # of the loop that was kept
        "loops": [each._asdict() for each in done.loops],
        "agreement": asdict(done.agreement) if done.agreement else None,
        "unsolved": len(done.learned.unsolved),
        "categories": done.learned.table.categories.classes,
        "network": {},
        "rules": {},
        "mistakes": {},
    }
    tests: Iterable[tuple[str, Any]] = task.tests.items()
    for name, examples in tests:
        chosen = random.Random(0).sample(list(examples), min(TESTED, len(examples)))
        record["network"][name] = evaluate(controller_engine(done.controller, done.learned.table), chosen).exact
        by_rules = evaluate(RuleEngine(done.learned.table), chosen)
        record["rules"][name] = by_rules.exact
        record["mistakes"][name] = [str(each) for each in by_rules.errors[:SHOWN]]
    _write(folder / run.file, record)
    return record


def _write(path: Path, record: dict[str, Any]) -> None:
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(record, default=list) + "\n", encoding="utf-8")
    temporary.replace(path)


def _seconds_so_far(path: Path) -> float:
    """Return how long a run took up to its last report, if there is one to go on with."""
    return float(json.loads(path.read_text(encoding="utf-8")).get("seconds", 0.0)) if path.exists() else 0.0


def _measure_quietly(run: Run, folder: Path, states: Path | None) -> None:
    """Run in a process of its own; an error becomes the record."""
    os.environ["OMP_NUM_THREADS"] = "1"
    _do_without_safetensors()
    try:
        measure(run, folder, states)
    except Exception as error:
        _write(folder / run.file, {**run._asdict(), "ended": False, "error": repr(error)})


def _do_without_safetensors() -> None:
    """Let machines that have torch alone import the network: these runs save no weights."""
    if find_spec("safetensors") is None:
        for name in ("safetensors", "safetensors.torch"):
            module: Any = ModuleType(name)
            module.SafetensorError, module.safe_open, module.load, module.save = OSError, None, None, None
            sys.modules[name] = module


def run_all(
    runs: Sequence[Run],
    jobs: int,
    minutes: float,
    folder: Path,
    states: Path | None = None,
    tell: Callable[[str], None] = print,
) -> None:
    """Keep so many processes busy until the time is up; then end them."""
    deadline = time.monotonic() + minutes * 60
    folder.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    waiting = [run for run in runs if not _ended(folder / run.file)]
    busy: dict[Any, Run] = {}
    while (waiting or busy) and time.monotonic() < deadline:
        for process in [process for process in busy if not process.is_alive()]:
            tell(summary(folder / busy.pop(process).file))
        while waiting and len(busy) < jobs:
            left = (deadline - time.monotonic()) / 60
            if left < _LEAST and busy:
                waiting = []  # what would only be cut off is left for another time
                break
            run = waiting.pop(0)
            run = run._replace(minutes=max(0.1, min(run.minutes, left - 0.5)))
            alone = run.device == "cpu"  # beside a GPU, searches are shared out among children of the process
            process = context.Process(target=_measure_quietly, args=(run, folder, states), daemon=alone)
            process.start()
            busy[process] = run
        time.sleep(0.2)
    for process, run in busy.items():
        process.terminate()
        tell(summary(folder / run.file))


def _ended(path: Path) -> bool:
    return path.exists() and bool(json.loads(path.read_text(encoding="utf-8")).get("ended"))


def summary(path: Path) -> str:
    """Say in one line what a record holds."""
    if not path.exists():
        return f"{path.stem}: nothing yet"
    record = json.loads(path.read_text(encoding="utf-8"))
    start = f"{record['variant']}, {record['task']}, seed {record['seed']}"
    if "error" in record:
        return f"{start}: {record['error']}"
    lessons = record["lessons"]
    text = f"{start}: {len(lessons)} lessons, {record['seconds']:.0f} s"
    if lessons:
        text += f", {lessons[-1]['traced']} of {lessons[-1]['examples']} traced"
        text += f", {lessons[-1]['contradictory_steps']:.1%} of steps contradictory"
    if record["ended"]:
        text += f", network {record['network']}, rules {record['rules']}"
    return text


def records_in(path: Path) -> list[dict[str, Any]]:
    """Read the records of a folder, or those that a file has in compact form, one in each line."""
    if path.is_file():
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [json.loads(each.read_text(encoding="utf-8")) for each in path.glob("*.json")]


def compact(record: dict[str, Any]) -> dict[str, Any]:
    """Keep what table and plots need."""
    lessons = [{key: each.get(key) for key in NEEDED_OF_LESSON} for each in record.get("lessons", [])]
    kept = {key: record[key] for key in (*NEEDED, "error") if key in record}
    return {**kept, "lessons": [{key: _rounded(value) for key, value in each.items()} for each in lessons]}


def _rounded(value: float | None) -> float | None:
    return round(value, 4) if isinstance(value, float) else value


def in_order(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put records in the order of the variants, then of task and seed."""
    places = {name: number for number, name in enumerate(VARIANTS)}
    return sorted(records, key=lambda each: (places.get(each["variant"], len(places)), each["task"], each["seed"]))


def not_made(records: Iterable[dict[str, Any]], runs: Iterable[Run]) -> list[str]:
    """Name the runs of a plan without a record."""
    made = {(record["variant"], record["task"], record["seed"]) for record in records}
    seeds: dict[str, list[str]] = {}
    for run in runs:
        if (run.variant, run.task, run.seed) not in made:
            seeds.setdefault(f"{run.variant}, {run.task}", []).append(str(run.seed))
    return [f"{name}: seed{'s' * (len(lacking) > 1)} {', '.join(lacking)}" for name, lacking in seeds.items()]


def _write_out(records: list[dict[str, Any]], missing: list[str], options: argparse.Namespace) -> None:
    """Show records as the options say."""
    from paper_page import images, page
    from paper_table import markdown, table

    if options.compact:
        lines = [json.dumps(compact(record)) + "\n" for record in records]
        options.compact.write_text("".join(lines), encoding="utf-8")
    if options.table:
        print(table(records))
    if options.markdown:
        options.markdown.write_text(markdown(records, missing), encoding="utf-8")
    if options.report:
        options.report.write_text(page(records), encoding="utf-8")
    if options.images:
        for name, svg in images(records).items():
            (options.images / name).write_text(svg, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the plan, or print the table of records."""
    parser = argparse.ArgumentParser(prog="python benchmarks/paper_variants.py", description=__doc__)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("records"),
        help="folder of the records; or a file that --compact wrote, to show them",
    )
    parser.add_argument("--states", type=Path, help="folder of the loops' states, from which runs go on")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=9.0, help="for all runs together")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seed", type=int, action="append", default=[], help="this seed only; may be given again")
    parser.add_argument("--device", default="auto", help="of the run at the paper's size")
    parser.add_argument("--only", action="append", default=[], help="a part of VARIANT,TASK; may be given again")
    parser.add_argument("--table", action="store_true", help="run nothing, print the records of --out as a table")
    parser.add_argument("--compact", type=Path, help="run nothing, write the records into this file, a line for each")
    parser.add_argument("--markdown", type=Path, help="run nothing, write the table to a page in Markdown")
    parser.add_argument("--report", type=Path, help="run nothing, write a page with the table and plots")
    parser.add_argument("--images", type=Path, help="run nothing, write the plots into this folder")
    options = parser.parse_args(arguments)

    def wanted(variant: str, task: str) -> bool:
        return not options.only or any(part in f"{variant},{task}" for part in options.only)

    runs = [run for run in plan(options.seeds, options.minutes, options.device) if wanted(run.variant, run.task)]
    if options.seed:
        runs = [run for run in runs if run.seed in options.seed]
    if options.table or options.compact or options.markdown or options.report or options.images:
        records = in_order(each for each in records_in(options.out) if wanted(each["variant"], each["task"]))
        _write_out(records, not_made(records, runs), options)
        return 0
    tell = partial(print, file=sys.stderr, flush=True)
    run_all(runs, options.jobs, options.minutes, options.out, options.states, tell)
    return 0


if __name__ == "__main__":
    sys.exit(main())
