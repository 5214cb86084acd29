"""What the learner costs and what it learns, task by task; and how fast rules run beside a hand-written parser.

    python benchmarks/learner.py [--tasks scan/length,fewshot] [--seeds 5] [--machine paper] [--own DIR] [--markdown]
        [--split]
    python benchmarks/learner.py --speed

Each run has a process of its own, so its peak memory is its own. Tests only measure: learning gets the training
examples alone. `random` stands for fresh few-shot grammars and `schemes` and `wide` for fresh schemes, as many as
`--fresh` says; `own/NAME` for the files NAME.train.tsv and NAME.test.tsv in the folder DIR; `words/N` for sentences
with N verbs. `--split` learns in one process and tells, by sampling, where its CPU seconds go. For speed only ratios
compare across machines.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from cpu_shares import NAMES, cpu_shares
from timing import cpu_seconds

from ness.answer.engine import translate
from ness.answer.evaluation import evaluate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data import load_task, read_examples
from ness.data.example import Example
from ness.data.invented import INVENTIONS
from ness.data.invented.many_words import many_words
from ness.data.invented.schemes import random_scheme, wide_scheme
from ness.data.lessons import Lessons
from ness.data.random_grammar import random_grammar
from ness.data.scan import commands
from ness.learn.learner import learn
from ness.learn.result import LearningResult
from ness.rules import RuleTable

SCAN = tuple(f"scan/{split}" for split in ("length", "around_right", "jump", "simple", "turn_left"))
PARSING = ("cfg/while", "cfg/lambda", "cfg/while:std-10", "cfg/lambda:std-10")
OWN = tuple(f"own/{name}" for name in ("prefix_arith", "home", "toy_spanish", "number_sums"))
FRESH = {"random": random_grammar, "schemes": random_scheme, "wide": wide_scheme}
WORDS = ("words/300", "words/2000", "words/10000")
TASKS = (*SCAN, "fewshot", *FRESH, *PARSING, *OWN, *WORDS, *(f"invented/{name}" for name in INVENTIONS))
# Runs of each task; scan, cfg: 5; invented: 1.
SEEDS = {"fewshot": 10} | dict.fromkeys((*FRESH, *PARSING[2:], *WORDS), 1) | dict.fromkeys(OWN, 3)
TESTED = {"test-5000": 100}  # inputs, where not the whole set is tested


@dataclass
class Run:
    """The outcome of one run."""

    task: str
    seed: int
    solved: int  # training examples, or fresh tasks
    train: int
    exact: float  # on the worst test set; of fresh tasks, the share with all tests right
    seconds: float
    cpu: float  # seconds of learning alone, in all processes
    nodes: int
    rules: int
    attempts: int
    memory: float  # MB, all processes, at most
    split: dict[str, float] = field(default_factory=dict)  # CPU seconds of learning, by part


def run_task(task: str, seed: int, options: argparse.Namespace) -> Run:
    """Learn one task and test what was learned."""
    learner = Learner(options.machine, split=options.split)
    if task in FRESH:
        learned, exact, train = _fresh(task, seed, options.fresh, learner)
    else:
        learned, exact, train = _one(task, seed, options.own, learner)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    workers = os.cpu_count() or 1
    return Run(
        task,
        seed,
        sum(one.solved for one in learned) if task in FRESH else train - len(learned[0].unsolved),
        train,
        exact,
        sum(one.seconds for one in learned),
        learner.cpu,
        sum(one.nodes for one in learned),
        sum(_rules(one.table) for one in learned) // len(learned),
        sum(one.attempts for one in learned),
        (used[0].ru_maxrss + workers * used[1].ru_maxrss) / 1024,
        learner.seconds,
    )


class Learner:
    """Learns with the defaults; to tell where the time goes, in one process."""

    def __init__(self, machine: str, split: bool) -> None:
        self._config = Config(machine=machine)
        self._split = split
        if split:
            self._config = replace(self._config, learner=replace(self._config.learner, workers=1))
        self.cpu = 0.0
        self.seconds: dict[str, float] = {}  # CPU, by part

    def __call__(self, train: Sequence[Example], seed: int = 0, lessons: Lessons | None = None) -> LearningResult:
        config = replace(self._config, seed=seed)
        started = _cpu_so_far()
        if not self._split:
            learned = learn(train, config, lessons)
            self.cpu += _cpu_so_far() - started
            return learned
        with cpu_shares() as samples:
            learned = learn(train, config, lessons)
        spent = _cpu_so_far() - started
        self.cpu += spent
        each = spent / max(1, sum(samples.values()))
        self.seconds = {name: self.seconds.get(name, 0.0) + each * samples[name] for name in NAMES}
        return learned


def _cpu_so_far() -> float:
    """CPU seconds of this process and of those that it started and that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _one(task: str, seed: int, own: Path | None, learner: Learner) -> tuple[list[LearningResult], float, int]:
    train, tests, lessons = _data(task, seed, own)
    learned = learner(train, seed, lessons)
    engine = RuleEngine(learned.table)
    return [learned], min(evaluate(engine, test).exact for test in tests), len(set(train)) - len(learned.contradictory)


def _data(task: str, seed: int, own: Path | None) -> tuple[Sequence[Example], list[Sequence[Example]], Lessons | None]:
    if task.startswith("own/"):
        assert own is not None, "own data needs --own DIR"
        name = task.removeprefix("own/")
        train, test = (read_examples(own / f"{name}.{part}.tsv").examples for part in ("train", "test"))
        return train, [test], None
    if task.startswith("words/"):
        train, test = many_words(int(task.removeprefix("words/")), seed)
        return train, [test], None
    loaded = load_task(task, seed)
    tests: list[Sequence[Example]] = [test[: TESTED.get(name, 10_000)] for name, test in loaded.tests.items()]
    return loaded.train, tests, loaded.lessons


def _fresh(kind: str, seed: int, count: int, learner: Learner) -> tuple[list[LearningResult], float, int]:
    """Learn fresh tasks that chose nothing; report how many are solved completely."""
    learned, right = [], 0
    for number in range(1000 * (seed + 1), 1000 * (seed + 1) + count):
        train, test = FRESH[kind](number)
        learned.append(learner(train))
        right += evaluate(RuleEngine(learned[-1].table), test).exact == 1.0
    return learned, right / count, count


def _rules(table: RuleTable) -> int:
    """Rules by category: operators, REDUCE, CONCAT."""
    operators = {table.categories.status(status) for status in table.operators}
    concats = {(operator, table.categories.view(top), memory) for operator, top, memory in table.concat}
    return len(operators) + len(table.reduce) + len(concats)


# ---------------------------------------------------------------------------------------------- all tasks


def run_all(tasks: Iterable[str], options: argparse.Namespace) -> list[Run]:
    """Run each task with each seed in a process of its own; print a line for each."""
    runs = []
    parts = NAMES if options.split else ()
    print(
        _line("task", "seed", "solved", "test", "s", "CPU s", "nodes", "rules", "tries", "MB", *parts), file=sys.stderr
    )
    for task in tasks:
        if task.startswith("own/") and options.own is None:
            print(f"{task}: left out, give --own DIR", file=sys.stderr)
            continue
        seeds = options.seeds or SEEDS.get(task, 1 if task.startswith("invented/") else 5)
        for seed in range(seeds):
            command = [sys.executable, __file__, "--one", task, "--seed", str(seed)]
            command += [
                "--machine",
                options.machine,
                "--fresh",
                str(options.fresh),
                *(["--own", str(options.own)] if options.own else []),
            ]
            command += ["--split"] if options.split else []
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
            if done.returncode:
                print(f"{task}, seed {seed}: failed", file=sys.stderr)
                continue
            run = Run(**json.loads(done.stdout))
            runs.append(run)
            print(_line(*_cells(run)), file=sys.stderr, flush=True)
    return runs


def _cells(run: Run) -> list[object]:
    solved = f"{run.solved}/{run.train}"
    figures = [f"{run.seconds:.1f}", f"{run.cpu:.1f}", run.nodes, run.rules, run.attempts, f"{run.memory:.0f}"]
    return [run.task, run.seed, solved, f"{run.exact:.2%}", *figures, *[f"{part:.2f}" for part in run.split.values()]]


def _line(*cells: object) -> str:
    return f"{cells[0]!s:22}{cells[1]!s:>5}{cells[2]!s:>13}" + "".join(f"{cell!s:>12}" for cell in cells[3:])


def markdown(runs: Sequence[Run]) -> str:
    """One row for each task: the worst test, and the median (largest) of the costs."""
    parts = list(runs[0].split) if runs else []
    costs = ("seconds", "cpu", "nodes", "rules", "attempts")
    names = ["task", "runs", "all tests right", "worst test", "s", "CPU s", *costs[2:], "MB", *parts]
    rows = [f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    for task in dict.fromkeys(run.task for run in runs):
        here = [run for run in runs if run.task == task]
        right = sum(run.exact == 1.0 for run in here)
        spreads = [_spread([getattr(run, name) for run in here]) for name in costs]
        worst = f"{min(run.exact for run in here):.2%}"
        memory = f"{max(run.memory for run in here):.0f}"
        split = [_spread([run.split[part] for run in here]) for part in parts]
        rows.append(
            f"| {' | '.join([task, str(len(here)), f'{right} of {len(here)}', worst, *spreads, memory, *split])} |"
        )
    return "\n".join(rows)


def _spread(values: Sequence[float]) -> str:
    middle, most = median(values), max(values)
    shown = f"{middle:.1f} ({most:.1f})" if isinstance(values[0], float) else f"{middle:,.0f} ({most:,})"
    return shown if len(values) > 1 else shown.split(" (")[0]


# ---------------------------------------------------------------------------------------------- speed

GRAMMAR = """
?start: phrase | phrase "and" phrase -> join | phrase "after" phrase -> swap
?phrase: action | action "twice" -> twice | action "thrice" -> thrice
?action: verb | verb side -> turned | verb "opposite" side -> opposite | verb "around" side -> around
       | "turn" side -> same | "turn" "opposite" side -> twice | "turn" "around" side -> four
?verb: "walk" -> walk | "look" -> look | "run" -> run | "jump" -> jump
?side: "left" -> left | "right" -> right
%ignore " "
"""


def lark_parser() -> Callable[[str], tuple[str, ...]]:
    """A hand-written SCAN translator: LALR, its transformer applied while parsing."""
    from lark import Lark, Transformer, v_args

    words = {word: (f"I_{word.upper()}",) for word in ("walk", "look", "run", "jump")}
    words |= {side: (f"I_TURN_{side.upper()}",) for side in ("left", "right")}
    rules: dict[str, Callable[..., tuple[str, ...]]] = {
        "join": lambda _, first, second: first + second,
        "swap": lambda _, first, second: second + first,
        "same": lambda _, side: side,
        "twice": lambda _, phrase: phrase * 2,
        "thrice": lambda _, phrase: phrase * 3,
        "four": lambda _, phrase: phrase * 4,
        "turned": lambda _, verb, side: side + verb,
        "opposite": lambda _, verb, side: side + side + verb,
        "around": lambda _, verb, side: (side + verb) * 4,
        **{name: lambda _, phrase=phrase: phrase for name, phrase in words.items()},
    }
    translator: Any = v_args(inline=True)(type("Translator", (Transformer,), rules))
    parser: Any = Lark(GRAMMAR, parser="lalr", transformer=translator())
    return lambda text: parser.parse(text)


def speed(repeats: int = 5) -> dict[str, float]:
    """Commands a second of rules and lark, in turn, from text to tokens; tokens a second of long parses."""
    texts = [" ".join(command.source) for command in commands()]
    targets = [command.target for command in commands()]
    task = load_task("scan/length")
    engine = RuleEngine(learn(task.train, Config(), task.lessons).table)
    parse = lark_parser()

    def by_rules() -> list[Any]:
        return [answer.output for answer in translate(engine, [text.split() for text in texts])]

    def by_lark() -> list[Any]:
        return [parse(text) for text in texts]

    assert by_lark() == targets
    assert by_rules() == targets, "the rules are wrong: their speed means nothing"
    pairs = [(cpu_seconds(by_rules), cpu_seconds(by_lark)) for _ in range(repeats)]
    figures = {
        "commands/s, rules": len(texts) / median(rules for rules, _ in pairs),
        "commands/s, lark": len(texts) / median(lark for _, lark in pairs),
        "ratio, rules to lark": median(lark / rules for rules, lark in pairs),
    }
    for name in ("cfg/while", "cfg/lambda"):
        figures[f"tokens/s, {name}, 5,000 long"] = _parsing_speed(name, repeats)
    return figures


def _parsing_speed(name: str, repeats: int) -> float:
    task = load_task(name)
    engine = RuleEngine(learn(task.train, Config(), task.lessons).table)
    tests = task.tests["test-5000"][:20]
    assert evaluate(engine, tests).exact == 1.0, "the rules are wrong: their speed means nothing"
    sources = [test.source for test in tests]
    return sum(map(len, sources)) / median(cpu_seconds(lambda: translate(engine, sources)) for _ in range(repeats))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", help=f"separated by commas; default: all of {', '.join(TASKS)}")
    parser.add_argument("--seeds", type=int, help="runs of each task; default: 5, 3, or 1, as the kind of task asks")
    parser.add_argument("--fresh", type=int, default=100, help="fresh tasks of `random` and of `schemes`")
    parser.add_argument("--machine", choices=("extended", "paper"), default="extended", help="that learns")
    parser.add_argument("--own", type=Path, help="folder with NAME.train.tsv and NAME.test.tsv")
    parser.add_argument("--split", action="store_true", help="learn in one process; tell where its CPU seconds go")
    parser.add_argument("--markdown", action="store_true", help="print a table for the documents")
    parser.add_argument("--speed", action="store_true", help="measure how fast rules run, beside lark")
    parser.add_argument("--one", metavar="TASK", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(run_task(options.one, options.seed, options).__dict__))
    elif options.speed:
        for name, value in speed().items():
            print(f"{name:32} {value:12,.1f}")
    else:
        runs = run_all(options.tasks.split(",") if options.tasks else TASKS, options)
        print(markdown(runs) if options.markdown else json.dumps([run.__dict__ for run in runs]))


if __name__ == "__main__":
    main()
