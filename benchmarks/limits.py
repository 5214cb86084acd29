"""What the machine can express, tried: learn small invented constructs from short inputs, ask for longer ones.

python benchmarks/limits.py [SECONDS]     prints the table of docs/limits.md
"""

import random
import sys
import warnings
from collections.abc import Callable

from ness import Transducer
from ness.errors import LearningWarning

LETTERS = "abcde"
Construct = Callable[[list[str], random.Random], tuple[str, str]]


def upper(words: list[str]) -> list[str]:
    return [word.upper() for word in words]


def repeated(words: list[str], rng: random.Random) -> tuple[str, str]:
    times = rng.choice(("twice", "thrice"))
    return " ".join([*words, times]), " ".join(upper(words) * (2 if times == "twice" else 3))


def reversed_list(words: list[str], rng: random.Random) -> tuple[str, str]:
    return " ".join(words), " ".join(reversed(upper(words)))


def nested(words: list[str], rng: random.Random) -> tuple[str, str]:
    first, *rest = words
    if not rest:
        return first, first.upper()
    inner_source, inner_target = nested(rest, rng)
    return f"not ( {inner_source} )", f"( NOT {inner_target} )"


def two_places(words: list[str], rng: random.Random) -> tuple[str, str]:
    name, *rest = words
    inner_source, inner_target = two_places(rest, rng) if len(rest) > 1 else (" ".join(rest), " ".join(upper(rest)))
    return f"tag {name} {inner_source} end", f"<{name}> {inner_target} </{name}>"


def sorted_list(words: list[str], rng: random.Random) -> tuple[str, str]:
    return " ".join(words), " ".join(sorted(upper(words)))


def interleaved(words: list[str], rng: random.Random) -> tuple[str, str]:
    others = [rng.choice("vwxyz") for _ in words]
    pairs = [f"{a} {b}" for a, b in zip(upper(words), upper(others), strict=True)]
    return f"{' '.join(words)} with {' '.join(others)}", " ".join(pairs)


def counted(words: list[str], rng: random.Random) -> tuple[str, str]:
    return " ".join(words), str(len(words))


def first_decides(words: list[str], rng: random.Random) -> tuple[str, str]:
    mode = rng.choice(("loud", "soft"))
    return " ".join([mode, *words]), " ".join(f"{word}!" if mode == "loud" else f"{word}." for word in words)


CONSTRUCTS: dict[str, Construct] = {
    "repeat what came before": repeated,
    "reverse a list": reversed_list,
    "nest, with brackets": nested,
    "say a name in two places, nested": two_places,
    "sort": sorted_list,
    "take turns from two lists": interleaved,
    "count": counted,
    "the first word decides about all others": first_decides,
}


def examples(construct: Construct, sizes: range, count: int, rng: random.Random) -> dict[str, str]:
    found: dict[str, str] = {letter: letter.upper() for letter in LETTERS} if sizes.start == 1 else {}
    for _ in range(count):
        source, target = construct([rng.choice(LETTERS) for _ in range(rng.choice(sizes))], rng)
        found.setdefault(source, target)
    return found


def main() -> None:
    """Print one row for each construct."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    warnings.simplefilter("ignore", LearningWarning)
    print("| construct | example | learned from short inputs | longer ones right |\n| --- | --- | --- | --- |")
    for name, construct in CONSTRUCTS.items():
        rng = random.Random(name)
        train, tests = (examples(construct, sizes, 120, rng) for sizes in (range(2, 4), range(4, 7)))
        model = Transducer(rules_only=True, time_limit=seconds).fit(list(train), list(train.values()))
        source, target = min(train.items(), key=lambda pair: abs(len(pair[0]) - 12))
        right = model.score(list(tests), list(tests.values()))
        summary = model.model_.summary
        print(
            f"| {name} | `{source}` → `{target}` | {summary.learned} of {summary.examples} | {right:.0%} |", flush=True
        )


if __name__ == "__main__":
    main()
