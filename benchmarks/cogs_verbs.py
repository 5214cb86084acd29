"""COGS with verbs in new constructions: leave out every sentence with a verb in one of them, learn, test on the rest.

python benchmarks/cogs_verbs.py DIR      # the folder of the COGS files
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from ness.answer.engine import translate
from ness.answer.rule_engine import RuleEngine
from ness.data.example import Example
from ness.data.tasks import load_task
from ness.learn.constituents.learning import learn_by_patterns

KINDS = ("passive", "transitive", "to-dative", "double object")
VERBS = 4  # of a kind
IRREGULAR = ("gave", "sold", "ate", "sent", "fed", "saw", "drew", "broke", "froze", "grew")


def constructions(example: Example) -> Iterator[tuple[str, str]]:
    """Yield the verbs of a sentence, each with its construction."""
    source, target = example
    for place, word in enumerate(source[:-1]):
        if place and source[place - 1] == "was":
            yield "passive", word
        elif (word[-2:] == "ed" and len(word) > 3) or word in IRREGULAR:
            following = source[place + 1]
            if following == ".":
                yield "intransitive", word
            elif following not in ("that", "to"):
                dative = "to-dative" if "to" in source[place:] else "double object"
                yield (dative if "recipient" in target else "transitive"), word


def main(folder: Path) -> None:
    """Print what was left out, and how much of it is right."""
    train = load_task("cogs", 0, folder).train
    uses: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for example in train:
        if len(example.source) > 1 and "that" not in example.source:
            for kind, verb in constructions(example):
                uses[verb][kind] += 1
    chosen: dict[str, str] = {}
    for kind in KINDS:
        known = [verb for verb in sorted(uses) if verb not in chosen and uses[verb][kind] >= 5]
        others = [verb for verb in known if uses[verb].total() - uses[verb][kind] >= 3]
        chosen.update(dict.fromkeys(others[:VERBS], kind))
    held = [e for e in train if any(chosen.get(verb) == kind for kind, verb in constructions(e))]
    kept = sorted(set(train) - set(held))
    learned = learn_by_patterns(kept)
    assert learned is not None
    answers = translate(RuleEngine(learned.table), [example.source for example in held])
    right = sum(answer.output == example.target for answer, example in zip(answers, held, strict=True))
    refused = sum(answer.output is None for answer in answers)
    print(f"learned from {len(kept)}; left out: {chosen}")
    print(f"{right} of {len(held)} right, {refused} refused")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
