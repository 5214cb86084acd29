"""Fresh random tasks, learned by rules with the defaults, many at once: how many are right on all longer tests.

    python benchmarks/fresh.py --kind wide --first 5000 --count 100 [--jobs 2] [--limit 60]

One JSON object a line as tasks end, then the sum. Kinds: `random` (few-shot grammars), `schemes`, `wide`.
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from statistics import median
from typing import TypedDict

from ness.answer.evaluation import evaluate
from ness.answer.rule_engine import RuleEngine
from ness.config import Config
from ness.data.invented.schemes import random_scheme, wide_scheme
from ness.data.random_grammar import random_grammar
from ness.learn.learner import learn

KINDS = {"random": random_grammar, "schemes": random_scheme, "wide": wide_scheme}


class Outcome(TypedDict):
    """One task."""

    number: int
    exact: float
    refused: float  # the rest is wrong
    seconds: float
    nodes: int
    freedom: str
    unsolved: int


def run(kind: str, number: int, limit: float) -> Outcome:
    """Learn one task and test it."""
    train, tests = KINDS[kind](number)
    config = Config()
    config = replace(config, learner=replace(config.learner, workers=1, time_limit=limit))
    learned = learn(train, config)
    result = evaluate(RuleEngine(learned.table), tests)
    refused = sum(mistake.answer.error is not None for mistake in result.errors)
    unsolved = len(learned.unsolved) + len(learned.memorised)
    return Outcome(
        number=number,
        exact=round(result.exact, 4),
        refused=round(refused / max(1, result.n), 4),
        seconds=round(learned.seconds, 1),
        nodes=learned.nodes,
        freedom=learned.freedom,
        unsolved=unsolved,
    )


def main() -> None:
    """Run the tasks that the options name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=KINDS, default="wide")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of search for one task")
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.count)
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for future in as_completed([pool.submit(run, options.kind, number, options.limit) for number in numbers]):
            outcomes.append(future.result())
            print(json.dumps(outcomes[-1]), flush=True)
    right = sum(outcome["exact"] == 1 for outcome in outcomes)
    seconds = [outcome["seconds"] for outcome in outcomes]
    print(f"{right} of {len(outcomes)} right; seconds {median(seconds)}, at most {max(seconds)}")


if __name__ == "__main__":
    main()
