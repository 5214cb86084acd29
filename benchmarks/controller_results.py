"""Exact match by the network alone, trained on the learner's own traces: the figures of docs/controller.md.

    python benchmarks/controller_results.py [--tasks scan/length fewshot ...] [--own ../shared/data/own]
        [--seeds 0 1] [--ablations default soft ...] [--inputs 100] [--device cpu] [--markdown]

A run: the learner finds traces, a network imitates them, greedy decoding answers the tests. `--ablations` names the
variants to run; `lessons-1-3` trains on the traces of the first three lessons alone; `paper` is the paper's own loop,
small and for as long as `--set learner.time_limit=...` says. One JSON object a run on standard output, or a Markdown
table at the end. Nothing is chosen by what the tests say.
"""

import argparse
import json
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ness.answer.evaluation import evaluate
from ness.answer.network_engine import controller_engine
from ness.answer.rule_engine import RuleEngine
from ness.config import Config, resolve
from ness.data import Task, load_task, read_examples
from ness.data.example import Example
from ness.learn.learner import Learned, learn
from ness.machine import Program
from ness.network.controller import Controller, make_controller
from ness.network.imitation import train_controller
from ness.network.vocabularies import Vocabularies
from ness.paper.loop import learn_as_in_the_paper
from ness.rules.categories import equivalence_classes
from ness.rules.table import Categories, RuleTable

TASKS = (
    "scan/length", "scan/around_right", "scan/jump", "scan/simple", "fewshot", "cfg/while", "cfg/lambda",
)  # fmt: skip
TEST_SETS = ("test", "test-10", "test-100", "test-1000")  # of those that a task has
EARLY_LESSONS = {"lessons-1-3": 3, "lessons-1-4": 4}  # traces of later lessons are left out
SAMPLE = 256  # test inputs for networks that do not decide by status: these cannot remember and are slow
VARIANTS: Mapping[str, Sequence[str]] = {
    "default": (),
    "no-categories": ("controller.categories=off",),
    "soft": ("controller.categories=soft",),
    "queue": ("controller.input_encoder=queue",),
    "lessons-1-3": (),
    "lessons-1-4": (),
    "paper": ("controller.embedding_size=64", "controller.hidden_size=64", "training.steps_per_search=5"),
    "paper-size": ("controller.embedding_size=512", "controller.hidden_size=256", "training.learning_rate=1e-3"),
}


@dataclass
class Result:
    """One run."""

    task: str
    variant: str
    seed: int
    unsolved: int  # training examples without a trace
    search_seconds: float
    train_seconds: float
    steps: int
    converged: bool
    tests: dict[str, float] = field(default_factory=dict)  # exact match by the network
    rules: dict[str, float] = field(default_factory=dict)  # and by the learner's table
    mistakes: list[str] = field(default_factory=list)


def run(task: Task, variant: str, config: Config, learned: Learned, inputs: int, device: str) -> Result:
    """Train a network on traces and evaluate it."""
    started = time.monotonic()
    table, traces = learned.table, list(learned.traces.items())
    if variant in EARLY_LESSONS:
        table, traces = _early(task, learned, EARLY_LESSONS[variant])
    vocabularies = Vocabularies.of((e.source for e in task.train), (e.target for e in task.train))
    controller = make_controller(vocabularies, config.controller, config.seed, device)
    programs = [(example.source, program) for example, program in traces]
    ended = train_controller(controller, programs, table.categories, config.training, seed=config.seed)
    seconds = time.monotonic() - started
    steps = ended.progress.step
    unsolved = len(learned.unsolved)
    result = Result(task.name, variant, config.seed, unsolved, learned.seconds, seconds, steps, ended.converged)
    return _evaluated(result, task, controller, table, inputs)


def run_paper(task: Task, config: Config, inputs: int, device: str) -> Result:
    """Run the paper's own loop and evaluate its network; it searches and trains in turns."""
    done = learn_as_in_the_paper(task.train, config, task.lessons, device=device)
    learned = done.learned
    result = Result(task.name, "paper", config.seed, len(learned.unsolved), learned.seconds, 0.0, done.steps, False)
    return _evaluated(result, task, done.controller, learned.table, inputs)


def _evaluated(result: Result, task: Task, controller: Controller, table: RuleTable, inputs: int) -> Result:
    engines = (controller_engine(controller.eval(), table), result.tests), (RuleEngine(table), result.rules)
    for name, examples in tests_of(task, inputs):
        if not controller.config.local and len(examples) > SAMPLE:
            examples = random.Random(0).sample(examples, SAMPLE)
        for engine, figures in engines:
            evaluation = evaluate(engine, examples)
            figures[name] = evaluation.exact
            if figures is result.tests:
                result.mistakes += [str(mistake) for mistake in evaluation.errors[:2]]
    return result


def tests_of(task: Task, inputs: int) -> Iterable[tuple[str, list[Example]]]:
    """The test sets to look at; of those of parsing tasks, the first inputs only."""
    for name in TEST_SETS:
        if name in task.tests:
            yield name, list(task.tests[name] if name == "test" else islice(task.tests[name], inputs))


def _early(task: Task, learned: Learned, lessons: int) -> tuple[RuleTable, list[tuple[Example, Program]]]:
    """The traces of the first lessons, and the rules and categories that can be read off these alone."""
    wanted = {example for lesson in task.lessons[:lessons] for example in lesson}
    traces = [(example, program) for example, program in learned.traces.items() if example in wanted]
    programs = [(example.source, program) for example, program in traces]
    table = RuleTable.from_traces(programs, Categories())
    decisions = {status: operators.most_common(1)[0][0] for status, operators in table.operators.items()}
    words = {word for source, _ in programs for word in source}
    classes: dict[str, list[str]] = {}
    for word, representative in equivalence_classes(decisions, words).items():
        classes.setdefault(representative, []).append(word)
    return RuleTable.from_traces(programs, Categories(classes.values())), traces


def load(name: str, seed: int) -> Task:
    """Load a built-in task, or FOLDER/NAME.train.tsv with its test file."""
    if not name.endswith(".train.tsv"):
        return load_task(name, seed)
    train = Path(name)
    test = read_examples(train.with_name(train.name.replace(".train.", ".test.")))
    return Task("own/" + train.name.removesuffix(".train.tsv"), read_examples(train).examples, {"test": test.examples})


def markdown(results: Sequence[Result]) -> str:
    """A table with a row for each task and variant, seeds in order."""
    lines = [
        "| task | variant | seeds | search s | train s | steps | network, exact | rules, exact |",
        "| --- " * 8 + "|",
    ]
    rows: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        rows.setdefault((result.task, result.variant), []).append(result)
    for (task, variant), runs in rows.items():
        cells = [
            ", ".join(str(one.seed) for one in runs),
            ", ".join(f"{one.search_seconds:.0f}" for one in runs),
            ", ".join(f"{one.train_seconds:.0f}" for one in runs),
            ", ".join(f"{one.steps}" + ("" if one.converged else " (not settled)") for one in runs),
            "; ".join(_shares(one.tests) for one in runs),
            "; ".join(_shares(one.rules) for one in runs),
        ]
        lines.append(f"| {task} | {variant} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _shares(figures: Mapping[str, float]) -> str:
    """Write shares; a figure below 100% is never rounded up to it."""
    return " ".join("100%" if exact == 1.0 else f"{min(exact, 0.9999):.2%}" for exact in figures.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tasks", nargs="*", default=list(TASKS))
    parser.add_argument("--seeds", type=int, nargs="*", default=[0])
    parser.add_argument("--ablations", nargs="*", default=["default"], choices=list(VARIANTS))
    parser.add_argument("--own", type=Path, help="a folder with NAME.train.tsv and NAME.test.tsv files")
    parser.add_argument("--inputs", type=int, default=100, help="of each test set of the parsing tasks")
    parser.add_argument("--set", nargs="*", default=[], help="more settings, as key=value")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    names = [*options.tasks, *(sorted(map(str, options.own.glob("*.train.tsv"))) if options.own else [])]
    results: list[Result] = []
    for name in names:
        for seed in options.seeds:
            task = load(name, seed)
            learned: Learned | None = None
            for variant in options.ablations:
                preset = "paper" if variant == "paper" else None
                config = resolve(preset, [*VARIANTS[variant], *options.set], seed)
                if variant == "paper":
                    results.append(run_paper(task, config, options.inputs, options.device))
                else:
                    learned = learned or learn(task.train, config, task.lessons)
                    results.append(run(task, variant, config, learned, options.inputs, options.device))
                if not options.markdown:
                    values: dict[str, Any] = vars(results[-1])
                    print(json.dumps(values, ensure_ascii=False), flush=True)
    if options.markdown:
        print(markdown(results))


if __name__ == "__main__":
    main()
