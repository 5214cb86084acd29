"""Small tasks in which words decide about others, learned with the defaults: by rules, network and exported file.

python benchmarks/agreement.py [--tasks spanish,case] [--seeds 3] [--rules-only]

Without `--tasks`: all six of agreement, and all six of semantic parsing.
"""

import argparse
import time

from ness.answer.answers import Answer
from ness.answer.engine import translate
from ness.data.example import Example
from ness.data.invented import agreement, distance, meanings
from ness.data.invented.invention import make
from ness.export import export_python
from ness.transducer import Transducer


def exported(model: Transducer) -> dict[str, object]:
    """Run an exported translator as a module of its own."""
    namespace: dict[str, object] = {"__name__": "exported"}
    exec(export_python(model.model_.table, "agreement"), namespace)
    return namespace


def right(answers: list[Answer], test: list[Example]) -> int:
    return sum(answer.output == example.target for answer, example in zip(answers, test, strict=True))


def main() -> None:
    """Print a row for each task and seed."""
    inventions = (*agreement.INVENTIONS, *distance.INVENTIONS, *meanings.INVENTIONS)
    names = [invention.name for invention in inventions]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", default=",".join(names))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rules-only", action="store_true")
    options = parser.parse_args()
    print("| task | seed | learned | rules | network | exported | strict answers, wrong | answers | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for invention in inventions:
        for seed in range(options.seeds) if invention.name in options.tasks.split(",") else ():
            train, test = make(invention, seed)
            started = time.monotonic()
            model = Transducer(seed=seed, rules_only=options.rules_only)
            model.fit([list(example.source) for example in train], [list(example.target) for example in train])
            seconds = time.monotonic() - started
            kept = model.model_
            sources = [example.source for example in test]
            answers = translate(kept.engine("rules"), sources)
            network = None if kept.network is None else translate(kept.engine("controller"), sources)
            strict = [(a, e) for a, e in zip(answers, test, strict=True) if a.output is not None and a.support > 0]
            wrong = sum(answer.output != example.target for answer, example in strict)
            run = exported(model)["translate_tokens"]
            same = sum(tuple(run(source)) == target for source, target in test)  # type: ignore[operator]
            learned = len(train) - len(kept.summary.unsolved) - len(kept.summary.memorised)
            cells = [
                invention.name,
                str(seed),
                f"{learned} of {len(train)}",
                f"{right(answers, test)} of {len(test)}",
                "-" if network is None else str(right(network, test)),
                str(same),
                f"{len(strict)}, {wrong}",
                kept.default_engine.name,
                f"{seconds:.1f}",
            ]
            print("|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
