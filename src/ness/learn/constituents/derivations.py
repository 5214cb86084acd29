"""From constituents to programs of the machine: a constituent is a frame, joined by one CONCAT_S in the end."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ness.learn.constituents.patterns import OpenPattern, is_open
from ness.learn.constituents.rules import RuleIndex
from ness.machine import ConcatS, Final, Instruction, Parts, Phrase, Pop, Program, Push, Reduce, Shift, Word
from ness.machine.instructions import positions


class Constituent(NamedTuple):
    """A constituent: its rule, and for each item of it the place of a word, or a constituent."""

    rule: OpenPattern
    items: "tuple[int | Constituent, ...]"
    label: str  # "" of a whole


def derive(pattern: OpenPattern, rules: RuleIndex) -> Constituent:
    """Read a pattern by rules; what they leave is the rule of the whole."""
    items: list[int | Constituent] = list(range(len(pattern.source)))
    for step in rules.steps(pattern):
        items[step.begin : step.end] = [Constituent(step.rule, tuple(items[step.begin : step.end]), step.label)]
        pattern = step.pattern
    return Constituent(pattern, tuple(items), "")


def nodes(node: Constituent) -> Iterator[Constituent]:
    """Yield a constituent and all that it consists of."""
    yield node
    for item in node.items:
        if isinstance(item, Constituent):
            yield from nodes(item)


def pattern_of(node: Constituent) -> OpenPattern:
    """Write out a derivation: the pattern that it reads."""
    source: list[str] = []
    made: dict[int, tuple[int | str, ...]] = {}
    for place, (name, item) in enumerate(zip(node.rule.source, node.items, strict=True)):
        if isinstance(item, Constituent):
            part = pattern_of(item)
            made[place] = tuple([each + len(source) if isinstance(each, int) else each for each in part.target])
            source += part.source
        else:
            made[place] = (len(source),)
            source.append(name)
    target: list[int | str] = []
    for each in node.rule.target:
        target += made[each] if isinstance(each, int) else (each,)
    return OpenPattern(tuple(source), tuple(target))


def parts_with_forms(node: Constituent, forms: Mapping[int, str]) -> Parts:
    """What a frame makes: its rule's target, with the forms of words in their places; `forms` by place of the word."""
    items = {place: item for place, item in enumerate(node.items) if isinstance(item, int)}
    return tuple([forms.get(items[part], part) if part in items else part for part in node.rule.target])


def program_of(
    node: Constituent, source: tuple[Word, ...], own: Mapping[Word, Phrase], forms: Mapping[int, str]
) -> Program:
    """Return the program of a whole."""
    return (*_instructions(node, iter(source), own, forms), Final())


def _instructions(
    node: Constituent, words: Iterator[Word], own: Mapping[Word, Phrase], forms: Mapping[int, str]
) -> list[Instruction]:
    """Read a constituent: the first part in the frame itself, others in frames of their own."""
    program: list[Instruction] = []
    phrases: dict[int, Phrase] = {}
    for place, (name, item) in enumerate(zip(node.rule.source, node.items, strict=True)):
        if isinstance(item, Constituent):
            inner = _instructions(item, words, own, forms)
            program += [Push(), *inner, Pop()] if place else inner
        else:
            word = next(words)
            program.append(Shift())
            if is_open(name) and item not in forms:
                phrases[place] = own[word]
    parts = parts_with_forms(node, forms)
    if len(node.items) == 1 and parts == (0,) and phrases:
        return [*program, Reduce(phrases[0])]
    if not positions(parts):
        return [*program, Reduce(tuple(map(str, parts)))]
    named = [part for part in dict.fromkeys(parts) if isinstance(part, int) and part in phrases]
    return [*program, ConcatS(parts, tuple([phrases[part] for part in named]))]
