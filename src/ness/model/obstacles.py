"""What is in the way of examples that were not learned, in the user's own words, and only what would help. No torch."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ness.answer.engine import translate
from ness.answer.noisy_engine import engine_of_rules
from ness.data.example import Example
from ness.machine import Instruction, Reduce, Word, without_boundaries
from ness.model.model import Model

_ASKED = 1000  # examples whose rules are followed to where they stop
_KINDS = 4  # named of each


class Obstacle(NamedTuple):
    """What examples have in common that were not learned, and what to do about it."""

    examples: int
    text: str


def obstacles(model: Model) -> list[Obstacle]:
    """List what is in the way of unsolved and memorised examples, what concerns most of them first."""
    summary = model.summary
    failed = [*summary.unsolved, *summary.memorised]
    by_heart = {example.source for example in summary.memorised}
    traces = [(without_boundaries(source), program) for source, program in model.traces()]
    traces = [(source, program) for source, program in traces if source not in by_heart]
    learned = {word for source, _ in traces for word in source}
    made = {token for _, program in traces for instruction in program for token in _tokens(instruction)}
    new = _with_new_words(failed, learned, made, model.config.search.max_reduce_length)
    familiar = [example for example in failed if learned.issuperset(example.source)]
    return new + _where_rules_stop(model, [example for example in familiar if example.source not in by_heart])


def _tokens(instruction: Instruction) -> Iterable[str]:
    """The target tokens that an instruction makes."""
    if isinstance(instruction, Reduce):
        return instruction.phrase
    return [part for part in getattr(instruction, "parts", ()) if isinstance(part, str)]


def _with_new_words(failed: Sequence[Example], learned: set[Word], made: set[str], longest: int) -> list[Obstacle]:
    """Name the words that occur in no learned example, each with the simplest example of it."""
    counts = Counter(word for example in failed for word in dict.fromkeys(example.source) if word not in learned)
    found = []
    for word, count in counts.most_common(_KINDS):
        having = [example for example in failed if word in example.source]
        simplest = min(having, key=lambda e: (len(set(e.source) - learned), len(e.source), e))
        others = [each for each in dict.fromkeys(simplest.source) if each not in learned and each != word]
        others_made = made.union(*(example.target for example in failed if word not in example.source))
        tokens = _own_tokens(having, others_made)
        if len(tokens) > longest:
            advice = f"it seems to stand for {' '.join(tokens)}: try --set search.max_reduce_length={len(tokens)}"
        elif others and others != list(dict.fromkeys(simplest.source))[1:]:
            names = " and ".join(f"'{each}'" for each in others[:3])
            advice = f"an example of it without {names}, which are new too, would help"
        else:
            advice = f"no rule was found even for the simplest: {_show(simplest)}"
        found.append(Obstacle(count, f"nothing was learned about '{word}' (in {_of(count)}); {advice}"))
    if len(counts) > _KINDS:
        found.append(Obstacle(0, f"and {len(counts) - _KINDS} words more that occur in no learned example"))
    return found


def _own_tokens(having: Iterable[Example], elsewhere: set[str]) -> list[str]:
    """The target tokens that go with all examples of a word, of which there are several, and with no others."""
    first, *rest = having
    common = set(first.target).intersection(*(example.target for example in rest))
    return [token for token in dict.fromkeys(first.target) if token in common - elsewhere] if rest else []


def _where_rules_stop(model: Model, examples: Sequence[Example]) -> list[Obstacle]:
    """Follow the rules on examples all of whose words are known, to the word before which they stop."""
    asked = list(examples[:_ASKED])
    engine = engine_of_rules(model.table, model.weighed)
    stops: dict[str, list[Example]] = {}
    wrong: list[Example] = []
    for example, answer in zip(asked, translate(engine, [each.source for each in asked]), strict=True):
        if answer.output is not None:
            if answer.output != example.target:
                wrong.append(example)
            continue
        trace = answer.trace()
        read = sum(step.instruction.operator.name == "SHIFT" for step in trace)
        rest = without_boundaries(answer.source[read:])
        place = f"before '{rest[0]}'" if rest else "at the end"
        stops.setdefault(place, []).append(example)
    found = [
        Obstacle(len(group), f"the rules stop {place} in {_of(len(group))}; the shortest: {_show(_shortest(group))}")
        for place, group in sorted(stops.items(), key=lambda item: -len(item[1]))[:_KINDS]
    ]
    if wrong:
        text = f"the rules answer {_of(len(wrong))} with something else; the shortest: {_show(_shortest(wrong))}"
        found.append(Obstacle(len(wrong), text))
    return found


def _shortest(examples: Iterable[Example]) -> Example:
    return min(examples, key=lambda example: (len(example.source), len(example.target), example))


def _show(example: Example) -> str:
    source, target = (" ".join(part) for part in example)
    return f"{source:.50} -> {target:.50}"


def _of(count: int) -> str:
    return "1 example" if count == 1 else f"{count} examples"
