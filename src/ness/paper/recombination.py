"""Inputs that training does not show, without outputs: complete inputs inside others exchanged, or single words.

They tell sets of traces apart that solve the same examples: rules that got by with special cases meet statuses there
that no trace decides. All sets are asked about the same inputs.
"""

import random
from collections.abc import Collection, Mapping
from itertools import combinations

from ness.learn.coding import CodedSource, CodedStatus, Step
from ness.machine import Frames
from ness.machine.opcodes import FINAL
from ness.paper.agreement import TraceAgreement
from ness.paper.moments import CodedFrames, execute, status_of

Place = tuple[CodedSource, CodedSource]  # what stands before and after
_TRIES = 20  # draws for each input that is wanted
_ASKED = 8  # places of what is exchanged, of which the other must be known to fill
_FILLED = 0.5  # this share
_STEPS_PER_WORD = 8


def recombined(sources: Collection[CodedSource], count: int, rng: random.Random) -> list[CodedSource]:
    """Exchange complete inputs inside others for a third, if these stand in the same places; draw up to so many."""
    known = dict.fromkeys(sources)
    inner: dict[CodedSource, list[tuple[int, int]]] = {}  # stretches of an input that are inputs themselves
    places: dict[CodedSource, list[Place]] = {}
    fillers: dict[Place, list[CodedSource]] = {}
    for source in known:
        length = len(source)
        for start, end in [(i, j) for i in range(length) for j in range(i + 1, length + 1) if j - i < length]:
            stretch, place = source[start:end], (source[:start], source[end:])
            if stretch in known:
                inner.setdefault(source, []).append((start, end))
                places.setdefault(stretch, []).append(place)
                fillers.setdefault(place, []).append(stretch)
    wholes = list(inner)
    drawn: dict[CodedSource, None] = {}
    for _ in range(count * _TRIES if wholes else 0):
        source = rng.choice(wholes)
        start, end = rng.choice(inner[source])
        old = source[start:end]
        new = rng.choice(fillers[rng.choice(places[old])])
        made = (*source[:start], *new, *source[end:])
        asked = rng.sample(places[old], min(_ASKED, len(places[old])))
        filled = sum((*before, *new, *behind) in known for before, behind in asked)
        if made not in known and filled >= _FILLED * len(asked):
            drawn.setdefault(made)
        if len(drawn) == count:
            break
    return list(drawn)


def exchanged(
    sources: Collection[CodedSource],
    known: Collection[CodedSource],
    classes: Mapping[int, int],
    count: int,
    rng: random.Random,
) -> list[CodedSource]:
    """Exchange a word for another of its category: draw up to so many inputs that are not known.

    Only words that share half of the places of the rarer one in all known inputs: traces alone may err.
    """
    if not count:
        return []
    pairs = [(one, other) for one, other in combinations(classes, 2) if classes[one] == classes[other]]
    places: dict[int, set[Place]] = {word: set() for pair in pairs for word in pair}
    for source in known:
        for place, word in enumerate(source):
            if word in places:
                places[word].add((source[:place], source[place + 1 :]))
    others: dict[int, list[int]] = {}
    for one, other in pairs:
        rarer = min(len(places[one]), len(places[other]))
        if rarer and len(places[one] & places[other]) >= _FILLED * rarer:
            others.setdefault(one, []).append(other)
            others.setdefault(other, []).append(one)
    shown = set(known)
    made = {
        new: None
        for source in dict.fromkeys(sources)
        for place, word in enumerate(source)
        for other in others.get(word, ())
        if (new := (*source[:place], other, *source[place + 1 :])) not in shown
    }
    return rng.sample(list(made), min(count, len(made)))


def untold(rules: TraceAgreement, source: CodedSource) -> list[Step] | None:
    """Follow rules as far as traces show each decision, by category; return the steps up to the first that none shows.

    None: they show all of them.
    """
    steps, output = _followed(rules, source, shown=True)
    return steps if output is None else None


def outcome(rules: TraceAgreement, source: CodedSource) -> str | None:
    """Return what rules answer, if they come to an end."""
    return _followed(rules, source, shown=False)[1]


def _followed(rules: TraceAgreement, source: CodedSource, shown: bool) -> tuple[list[Step], str | None]:
    """Follow rules, perhaps only where traces show the decision; return the steps, and the output at the end."""
    frames: CodedFrames = Frames()
    steps: list[Step] = []
    for _ in range(_STEPS_PER_WORD * len(source) + 6):
        status: CodedStatus = status_of(frames, source)
        decision = rules.decide(status)
        if decision is None or (shown and not rules.shows(status)):
            break
        operator, argument = decision
        steps.append((status, operator, argument))
        items = frames.candidates
        if operator == FINAL:
            return steps, "".join(map(str, items))
        parts = argument if isinstance(argument, tuple) else ()
        if not all(part < len(items) and isinstance(items[part], str) for part in parts):
            break
        frames = execute(frames, source, operator, argument)
    return steps, None
