"""The network beside the rules: test accuracy of both, agreement on imagined inputs, seconds. The figures of the docs.

    python benchmarks/network.py --tasks scan/length fewshot invented schemes --seeds 0 1 2 --variants default unaided
        [--own DIR] [--fresh 20] [--inputs 100] [--jobs 16] [--device cpu] [--set key=value ...] [--markdown]

A run: the learner finds traces, a network imitates them and what the rules do on imagined inputs, both are tested.
`scan`, `invented`, `own` (NAME.train.tsv and NAME.test.tsv in the folder DIR), `schemes` and `random` (as many fresh
ones as `--fresh` says) stand for all tasks of their kind. `unaided` imagines nothing; `lessons-1-3` has the traces and
rules of the first three lessons alone, `lessons-1-3:taught` the same traces with the rules of all lessons as teacher;
`paper` is the paper's own loop, small and for as long as `--set learner.time_limit=...` says. One JSON object a line,
or a Markdown table at the end. Each run has a process of its own. Nothing is chosen by what the tests say.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median

from ness.answer.engine import as_read, translate
from ness.answer.network_engine import controller_engine
from ness.answer.rule_engine import RuleEngine, known_words
from ness.config import Config
from ness.data import Task, load_task, read_examples
from ness.data.example import Example
from ness.data.invented import INVENTIONS
from ness.data.invented.schemes import random_scheme, wide_scheme
from ness.data.random_grammar import random_grammar
from ness.learn.learner import learn
from ness.learn.result import LearningResult
from ness.machine import Program, Word
from ness.model.teacher import RuleTeacher
from ness.network.controller import Controller, make_controller
from ness.network.imitation import TrainingResult, fixed_threads, train_controller
from ness.network.training_set import names_words, uses_templates
from ness.network.vocabularies import Vocabularies
from ness.paper.loop import learn_as_in_the_paper
from ness.rules.categories import equivalence_classes
from ness.rules.table import Categories, RuleTable
from ness.settings import resolve

SCAN = tuple(f"scan/{split}" for split in ("length", "around_right", "jump", "simple"))
FRESH = {"schemes": random_scheme, "wide": wide_scheme, "random": random_grammar}
TEST_SETS = ("test", "test-10", "test-100", "test-1000")  # of those that a task has
SAMPLE = 256  # test inputs for networks that do not decide by status: these cannot remember and are slow
VARIANTS: Mapping[str, Sequence[str]] = {
    "default": (),
    "unaided": ("training.imagined=0",),
    "lessons-1-3": (),
    "lessons-1-3:unaided": ("training.imagined=0",),
    "lessons-1-3:taught": (),
    "no-categories": ("controller.categories=off",),
    "soft": ("controller.categories=soft",),
    "queue": ("controller.input_encoder=queue",),
    "paper": ("controller.embedding_size=64", "controller.hidden_size=64", "training.steps_per_search=5"),
    "paper-size": ("controller.embedding_size=512", "controller.hidden_size=256", "training.learning_rate=1e-3"),
}
Traces = list[tuple[tuple[Word, ...], Program]]


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
    agreement: float | None = None  # share of fresh imagined inputs, and of their statuses
    statuses: float | None = None
    rules: dict[str, float] = field(default_factory=dict)  # exact match, by test set
    network: dict[str, float] = field(default_factory=dict)
    same: float = 1.0  # share of all test inputs that network and rules answer alike
    mistakes: list[str] = field(default_factory=list)  # of the network, where the rules are right

    @property
    def answers(self) -> str:
        """Who would answer by default."""
        return "network" if self.converged and self.agreement in (None, 1.0) else "rules"


def run(task: Task, variant: str, config: Config, learned: LearningResult, inputs: int, device: str) -> Result:
    """Train a network on traces and test it."""
    started = time.monotonic()
    table = learned.table
    read = known_words(table)
    traces = [(as_read(example.source, read), program) for example, program in learned.traces.items()]
    if variant.startswith("lessons-1-3"):
        wanted = {example.source for lesson in task.lessons[:3] for example in lesson}
        traces = [(source, program) for source, program in traces if source in wanted]
        table = table if variant.endswith(":taught") else rules_of(traces)
    words = Vocabularies.of((source for source, _ in traces), (e.target for e in task.train))
    able = {"templates": uses_templates(traces), "names_words": names_words(traces)}
    controller = make_controller(words, config.controller, config.seed, device, **able)
    ended = _trained(controller, traces, table, config)
    done = Result(
        task.name, variant, config.seed, len(learned.unsolved), round(learned.seconds, 2),
        round(time.monotonic() - started, 2), ended.progress.step, ended.converged,
    )  # fmt: skip
    if ended.agreement:
        done.agreement = ended.agreement.share
        done.statuses = ended.agreement.same_statuses / max(1, ended.agreement.statuses)
    return _tested(done, task, controller, table, inputs)


def _trained(controller: Controller, traces: Traces, table: RuleTable, config: Config) -> TrainingResult:
    imagined = config.training.imagined if config.controller.local else 0
    teacher = RuleTeacher(traces, table, imagined, config.seed)
    return train_controller(controller, traces, table.categories, config.training, seed=config.seed, teacher=teacher)


def run_paper(task: Task, config: Config, inputs: int, device: str) -> Result:
    """Run the paper's own loop, which searches and trains in turns, and test its network."""
    done = learn_as_in_the_paper(task.train, config, task.lessons, device=device)
    learned = done.learned
    result = Result(task.name, "paper", config.seed, len(learned.unsolved), learned.seconds, 0.0, done.steps, False)
    return _tested(result, task, done.controller, learned.table, inputs)


def _tested(result: Result, task: Task, controller: Controller, table: RuleTable, inputs: int) -> Result:
    network, rules = controller_engine(controller.eval(), table), RuleEngine(table)
    alike = asked = 0
    for name, examples in tests_of(task, inputs):
        if not controller.config.local and len(examples) > SAMPLE:
            examples = random.Random(0).sample(examples, SAMPLE)
        sources = [example.source for example in examples]
        rows = list(zip(examples, translate(rules, sources), translate(network, sources), strict=True))
        result.rules[name] = sum(one.output == example.target for example, one, _ in rows) / len(rows)
        result.network[name] = sum(one.output == example.target for example, _, one in rows) / len(rows)
        alike, asked = alike + sum(one.output == other.output for _, one, other in rows), asked + len(rows)
        worse = [other for example, one, other in rows if one.output == example.target != other.output]
        result.mistakes += [
            f"{' '.join(answer.source)} -> {answer.output or answer.error}"[:200] for answer in worse[:2]
        ]
    result.same = alike / asked
    return result


def tests_of(task: Task, inputs: int) -> Iterator[tuple[str, list[Example]]]:
    """The test sets to look at; of those of parsing tasks, the first inputs only."""
    for name in TEST_SETS:
        if name in task.tests:
            yield name, list(task.tests[name] if name == "test" else islice(task.tests[name], inputs))


def rules_of(traces: Traces) -> RuleTable:
    """The rules and categories that can be read off traces alone."""
    table = RuleTable.from_traces(traces, Categories())
    decisions = {status: operators.most_common(1)[0][0] for status, operators in table.operators.items()}
    classes: dict[str, list[str]] = {}
    for word, first in equivalence_classes(decisions, {word for source, _ in traces for word in source}).items():
        classes.setdefault(first, []).append(word)
    return RuleTable.from_traces(traces, Categories(classes.values()))


def load(name: str, seed: int, own: Path | None) -> Task:
    """Load a built-in task, own/NAME, or a fresh one such as schemes/1000."""
    kind, _, number = name.partition("/")
    if kind in FRESH:
        train, test = FRESH[kind](int(number))
        return Task(name, train, {"test": test})
    if kind != "own":
        return load_task(name, seed)
    assert own is not None, "own data needs --own DIR"
    train, test = (read_examples(own / f"{number}.{part}.tsv").examples for part in ("train", "test"))
    return Task(name, train, {"test": test})


def names_of(kinds: Sequence[str], own: Path | None, fresh: int) -> list[str]:
    """Name every task of the kinds that stand for several."""
    several = {"scan": SCAN, "invented": [f"invented/{name}" for name in INVENTIONS]}
    several |= {kind: [f"{kind}/{number}" for number in range(1000, 1000 + fresh)] for kind in FRESH}
    files = sorted(own.glob("*.train.tsv")) if own else []
    several["own"] = [f"own/{path.name.removesuffix('.train.tsv')}" for path in files]
    return [name for kind in kinds for name in several.get(kind, [kind])]


def run_one(name: str, seed: int, options: argparse.Namespace) -> Iterator[Result]:
    """Learn a task once, and train a network of each variant."""
    task = load(name, seed, options.own)
    learned: LearningResult | None = None
    for variant in options.variants:
        preset = "paper" if variant == "paper" else None
        config = resolve(preset, [*VARIANTS[variant], *options.set], seed)
        if variant == "paper":
            yield run_paper(task, config, options.inputs, options.device)
        else:
            learned = learned or learn(task.train, config, task.lessons)
            yield run(task, variant, config, learned, options.inputs, options.device)


def markdown(results: Sequence[Result]) -> str:
    """A row for each task and variant: the worst over the seeds, seconds and steps as medians (largest)."""
    lines = [
        "| task | variant | runs | rules, test | network, test | network = rules | agreement | answers | steps | s |"
    ]
    lines.append("| --- " * 10 + "|")
    for task, variant in dict.fromkeys((one.task, one.variant) for one in results):
        runs = [one for one in results if (one.task, one.variant) == (task, variant)]
        least = [
            min(values) for values in zip(*[(_worst(r.rules), _worst(r.network), r.same) for r in runs], strict=True)
        ]
        known = [one.agreement for one in runs if one.agreement is not None]
        shares = [*map(_share, least), _share(min(known)) if known else ""]
        who = " ".join(
            f"{sum(one.answers == name for one in runs)} {name}" for name in dict.fromkeys(o.answers for o in runs)
        )
        steps, seconds = [one.steps for one in runs], [one.search_seconds + one.train_seconds for one in runs]
        costs = [f"{median(steps):.0f} ({max(steps)})", f"{median(seconds):.1f} ({max(seconds):.1f})"]
        lines.append("| " + " | ".join([task, variant, str(len(runs)), *shares, who, *costs]) + " |")
    return "\n".join(lines)


def _worst(figures: Mapping[str, float]) -> float:
    return min(figures.values(), default=1.0)


def _share(value: float) -> str:
    """Write a share; a figure below 100% is never rounded up to it."""
    return "100%" if value == 1.0 else f"{min(value, 0.9999):.2%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = ["scan", "fewshot", "cfg/while", "cfg/lambda", "own", "invented", "schemes"]
    parser.add_argument("--tasks", nargs="*", default=kinds)
    parser.add_argument("--seeds", type=int, nargs="*", default=[0])
    parser.add_argument("--variants", nargs="*", default=["default"], choices=list(VARIANTS))
    parser.add_argument("--own", type=Path, help="a folder with NAME.train.tsv and NAME.test.tsv files")
    parser.add_argument("--fresh", type=int, default=20, help="fresh tasks of `schemes` and of `random`")
    parser.add_argument("--inputs", type=int, default=100, help="of each test set of the parsing tasks")
    parser.add_argument(
        "--jobs", type=int, default=1, help="runs at a time; with several, each searches in one process"
    )
    parser.add_argument("--set", nargs="*", default=[], help="more settings, as key=value")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        with fixed_threads(1):
            for result in run_one(options.tasks[0], options.seeds[0], options):
                print(json.dumps(asdict(result), ensure_ascii=False), flush=True)
        return
    workers = ["learner.workers=1"] if options.jobs > 1 else []
    flags = ["--variants", *options.variants, "--inputs", str(options.inputs), "--device", options.device]
    flags += ["--set", *workers, *options.set, *(["--own", str(options.own)] if options.own else [])]

    def work(job: tuple[str, int]) -> list[Result]:
        command = [sys.executable, __file__, "--one", "--tasks", job[0], "--seeds", str(job[1]), *flags]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            print(f"{job[0]}, seed {job[1]}: failed", file=sys.stderr)
        if not options.markdown:
            print(done.stdout, end="", flush=True)
        return [Result(**json.loads(line)) for line in done.stdout.splitlines()]

    jobs = [(name, seed) for name in names_of(options.tasks, options.own, options.fresh) for seed in options.seeds]
    with ThreadPoolExecutor(options.jobs) as pool:
        results = [result for found in pool.map(work, jobs) for result in found]
    if options.markdown:
        print(markdown(results))


if __name__ == "__main__":
    main()
