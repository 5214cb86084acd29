"""Few examples, and wrong ones: questions until all is right, learning from random samples, wrong lines named, more.

    python benchmarks/few.py questions [--tasks scan,while,own/home] [--seeds 5] [--own DIR] [--anew]
    python benchmarks/few.py random [--tasks scan] [--seeds 5]
    python benchmarks/few.py samples [--sizes 100,200] [--seeds 5]
    python benchmarks/few.py wrong [--tasks own/home,scan/length,scheme:2000] [--rates 0,0.01,0.05] [--own DIR]
    python benchmarks/few.py more [--tasks scan/length,invented/calls] [--seeds 1]

`questions` asks one input at a time, of a pool of all inputs; the generator labels it in place of a person, and
learning goes on from the rules so far, as `--more` does, or begins `--anew`. `random` labels inputs of the same pool
in a random order. Both stop when the rules answer the whole pool rightly; tests only measure. `samples` learns SCAN
from random commands, with the code length of the examples; what is not right then gets questions. `wrong` drops,
exchanges or inserts one token in the outputs of a share of the lines. `more` learns 90% of the lines and goes on with
all of them, beside learning all of them afresh.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ness.answer.engine import translate
from ness.answer.evaluation import evaluate
from ness.answer.rule_engine import RuleEngine
from ness.answer.suggest import suggest
from ness.config import Config
from ness.data import load_task, read_examples
from ness.data.example import Example
from ness.data.invented.schemes import random_scheme
from ness.data.scan import commands
from ness.experiments.datasets import scan_sample
from ness.learn.code_length import code_length
from ness.learn.learner import learn
from ness.learn.result import LearningResult
from ness.rules.table import RuleTable

MOST = 100  # questions
LOOKED_AT = 1_500  # inputs of a pool that must be right before all are asked
_MORE = 10  # questions after a random sample
STEPS = (25, 50, 75, 100, 150, 200, 300, 400, 600, 800)  # labels at which random choice is measured


def config_of(task: str, seed: int, limit: float) -> Config:
    """The settings of a task: the paper's machine for the paper's tasks, one process."""
    config = replace(Config(), seed=seed, machine="extended" if task.startswith(("own/", "scheme:")) else "paper")
    return replace(config, learner=replace(config.learner, workers=1, time_limit=limit))


def pool_of(task: str, own: Path) -> list[Example]:
    """All inputs that may be asked, with their labels: for languages without end, training and test inputs."""
    if task == "scan":
        return list(commands())
    if task == "while":
        loaded = load_task("cfg/while", 0)
        return [*loaded.train, *list(loaded.tests["test-10"])[:1000]]
    name = task.removeprefix("own/")
    return [example for part in ("train", "test") for example in read_examples(own / f"{name}.{part}.tsv").examples]


def all_right(table: RuleTable, pool: Sequence[Example]) -> bool:
    """Tell whether the rules answer a pool rightly; a part of it first, which is faster where they do not."""
    engine = RuleEngine(table)
    for part in (pool[:LOOKED_AT], pool):
        answers = translate(engine, [example.source for example in part])
        if any(answer.output != example.target for answer, example in zip(answers, part, strict=True)):
            return False
    return True


def questions(task: str, seed: int, own: Path, limit: float, anew: bool) -> str:
    """Ask until all is right; count the questions."""
    pool = list(dict.fromkeys(pool_of(task, own)))
    random.Random(seed).shuffle(pool)
    labels = {example.source: example for example in pool}
    config, started = config_of(task, seed, limit), time.monotonic()
    asked: list[Example] = []
    learned: LearningResult | None = None
    while len(asked) < MOST:
        table = learned.table if learned else RuleTable()
        traces = [(example.source, program) for example, program in learned.traces.items()] if learned else []
        skip = [example.source for example in asked]
        found = suggest(table, learned.survivors if learned else [], traces, labels, 1, skip)
        if not found:
            break
        asked.append(labels[found[0].input])
        learned = told(None if anew else learned, asked, config)
        if all_right(learned.table, pool):
            words = sum(len(example.source) for example in asked)
            return f"{len(asked)} questions of {words / len(asked):.1f} words, {time.monotonic() - started:.0f} s"
    right = evaluate(RuleEngine(learned.table), pool).exact if learned else 0.0
    return f"{right:.2%} after {len(asked)} questions, {time.monotonic() - started:.0f} s"


def told(before: LearningResult | None, asked: Sequence[Example], config: Config) -> LearningResult:
    """Learn from one answer more, as `--more` does: from the rules so far, with the rival rules that still fit."""
    if before is None:
        return learn(asked, config)
    after = learn(asked, config, known=before.table)
    after.survivors = after.survivors or [each for each in before.survivors if all_right(each, asked[-1:])]
    return after


def random_choice(task: str, seed: int, own: Path, limit: float) -> str:
    """Label inputs in a random order until all is right, measured at some sizes."""
    pool = list(dict.fromkeys(pool_of(task, own)))
    random.Random(seed).shuffle(pool)
    right = 0.0
    for size in (size for size in STEPS if size < len(pool)):
        learned = learn(pool[:size], config_of(task, seed, limit))
        if all_right(learned.table, pool):
            return f"{size} random labels"
        right = evaluate(RuleEngine(learned.table), pool[:LOOKED_AT]).exact
    return f"{right:.2%} (of {LOOKED_AT}) after {size} random labels"


def sample(size: int, seed: int, limit: float) -> str:
    """Learn SCAN from random short commands; ask where that does not do."""
    train, test = scan_sample(size, seed)
    config, examples = config_of("scan", seed, limit), list(train)
    learned = learn(examples, config)
    right = first = evaluate(RuleEngine(learned.table), test).exact
    lengths = [code_length(learned, train, config)]
    labels = {example.source: example for example in test}
    while right < 1 and len(examples) < size + _MORE:
        traces = [(example.source, program) for example, program in learned.traces.items()]
        skip = [example.source for example in examples]
        examples.append(labels[suggest(learned.table, learned.survivors, traces, labels, 1, skip)[0].input])
        learned = told(learned, examples, config)
        right = evaluate(RuleEngine(learned.table), test).exact
        lengths.append(code_length(learned, train, config))
    nats = f"{lengths[0]:.1f} nats"
    if len(examples) == size:
        return f"{first:.2%}, {nats}"
    asked = "; ".join(" ".join(example.source) for example in examples[size:])
    return f"{first:.2%}, {nats}; {right:.2%} and {lengths[-1]:.1f} nats with {len(examples) - size} questions: {asked}"


def spoiled(examples: Sequence[Example], rate: float, seed: int) -> dict[Example, Example]:
    """Map each example to itself, or to one with a token dropped, exchanged or inserted."""
    rng = random.Random(f"corrupt {seed}")
    tokens = sorted({token for example in examples for token in example.target})
    found = {example: example for example in examples}
    for example in rng.sample(list(examples), round(rate * len(examples))):
        target: tuple[str, ...] = example.target
        while target == example.target or not target:
            kind = rng.choice(("drop", "exchange", "insert"))
            place = rng.randrange(len(example.target) + (kind == "insert"))
            new = () if kind == "drop" else (rng.choice(tokens),)
            target = (*example.target[:place], *new, *example.target[place + (kind != "insert") :])
        found[example] = Example(example.source, target)
    return found


def wrong(task: str, rate: float, seed: int, own: Path, limit: float) -> str:
    """Learn from lines some of which are wrong; compare those named with those spoiled."""
    lessons = None
    if task.startswith("scheme:"):
        train, test = random_scheme(int(task.removeprefix("scheme:")))
    elif task.startswith("own/"):
        name = task.removeprefix("own/")
        train, test = (read_examples(own / f"{name}.{part}.tsv").examples for part in ("train", "test"))
    else:
        loaded = load_task(task, seed)
        train, test, lessons = list(loaded.train), list(next(iter(loaded.tests.values()))), loaded.plan
    lines = spoiled(list(dict.fromkeys(train)), rate, seed)
    bad = {line: example for example, line in lines.items() if line != example}
    noisy = list(lines.values())
    started = time.process_time()
    learned = learn(noisy, config_of(task, seed, limit), lessons(noisy) if lessons else None)
    seconds = time.process_time() - started
    hits = [line for line in learned.suspicious if line in bad]
    mended = sum(learned.suspicious[line] == bad[line].target for line in hits)
    return (
        f"test {evaluate(RuleEngine(learned.table), test).exact:.2%}, {seconds:.1f} CPU s, wrong {len(bad)}, "
        f"named {len(learned.suspicious)}, rightly {len(hits)}, mended {mended}, unsolved {len(learned.unsolved)}"
    )


def more(task: str, seed: int, limit: float) -> str:
    """Learn 90% of the lines, go on with the others; and all lines afresh."""
    loaded = load_task(task, seed)
    lines, test = list(dict.fromkeys(loaded.train)), next(iter(loaded.tests.values()))
    random.Random(seed).shuffle(lines)
    config = config_of("scan" if loaded.of_the_paper else "own/", seed, limit)
    earlier = learn(lines[: len(lines) * 9 // 10], config)
    told_more, seconds = _timed(lambda: learn(lines, config, known=earlier.table))
    fresh, fresh_seconds = _timed(lambda: learn(lines, config))
    rights = [evaluate(RuleEngine(each.table), test).exact for each in (told_more, fresh)]
    missed = [len(each.unsolved) + len(each.memorised) for each in (earlier, told_more, fresh)]
    return (
        f"{len(lines)} lines, more {seconds:.2f} CPU s, fresh {fresh_seconds:.2f}, test {rights[0]:.2%} and "
        f"{rights[1]:.2%}, not learned {missed[0]} before, {missed[1]} and {missed[2]}"
    )


def _timed(work: Callable[[], LearningResult]) -> tuple[LearningResult, float]:
    started = time.process_time()
    return work(), time.process_time() - started


def _runs(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    own, limit = options.own, options.limit
    for seed in range(options.first, options.first + options.seeds):
        if options.what == "samples":
            for size in map(int, options.sizes.split(",")):
                yield f"scan {size}, seed {seed}", sample(size, seed, limit)
            continue
        for task in options.tasks.split(","):
            if options.what == "more":
                yield f"{task}, seed {seed}", more(task, seed, limit)
            elif options.what == "wrong":
                for rate in map(float, options.rates.split(",")):
                    yield f"{task} {rate:.0%}, seed {seed}", wrong(task, rate, seed, own, limit)
            else:
                asking = options.what == "questions"
                right = (
                    questions(task, seed, own, limit, options.anew) if asking else random_choice(task, seed, own, limit)
                )
                yield f"{task}, seed {seed}", right


def main() -> None:
    """Print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("questions", "random", "samples", "wrong", "more"))
    parser.add_argument("--tasks", default="scan")
    parser.add_argument("--sizes", default="100,200")
    parser.add_argument("--rates", default="0,0.01,0.05")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--own", type=Path, default=Path("data/own"), help="folder with NAME.train.tsv, NAME.test.tsv")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of one learning")
    parser.add_argument("--anew", action="store_true", help="learn everything again after each answer")
    for name, outcome in _runs(parser.parse_args()):
        print(f"{name}: {outcome}", flush=True)


if __name__ == "__main__":
    main()
