"""Examples with their content words left open: `The <girl> <painted> .` -> `2 ( agent = * 1 )`.

An item of a pattern's source is a word, a class of content words or a type of constituents; in its target a number is
the item of the source that stands there.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple

from ness.data.example import Example
from ness.learn.constituents.forms import Content
from ness.learn.cues import is_nested
from ness.machine import Parts, Word

CLASS, PHRASE_TYPE = "\0class ", "\0type "  # begin the names of classes and types, and no word
FORMED = f"{CLASS}\0"  # begins the names of classes of words with forms
_MANY = 0.5  # share of the examples that are unambiguous, at least: else others are read, too
_READINGS = 16  # of an example whose words share tokens

Span = tuple[int, int]


class OpenPattern(NamedTuple):
    """A source with open places, and its target."""

    source: tuple[str, ...]
    target: Parts


def is_open(item: str) -> bool:
    """Tell whether an item is a class of words."""
    return item.startswith(CLASS)


def is_formed(item: str) -> bool:
    """Tell whether an item is a class of words with forms."""
    return item.startswith(FORMED)


def is_type(item: str) -> bool:
    """Tell whether an item is a type of constituents."""
    return item.startswith(PHRASE_TYPE)


def readings(example: Example, content: Content, classes: Mapping[Word, str]) -> Iterator[OpenPattern]:
    """Yield the patterns of an example: several where two of its words have the same token."""
    source, target = example
    places, forms = _places_of_tokens(source, content), _places_of_forms(example, content)
    options: list[Sequence[int | str]] = [
        (forms[made],) if made in forms else places.get(token) or (token,) for made, token in enumerate(target)
    ]
    named = tuple([classes.get(word, word) for word in source])
    for chosen in islice(product(*options), _READINGS):
        yield OpenPattern(named, tuple(chosen))


def _places_of_tokens(source: Sequence[Word], content: Content) -> dict[str, list[int]]:
    """Map the tokens of content words to the places of these words."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(source):
        if word in content.own:
            places.setdefault(content.own[word], []).append(place)
    return places


def _places_of_forms(example: Example, content: Content) -> dict[int, int]:
    """Map the places of forms in the target to those of their words."""
    return {made: place for place, made in content.forms_at(example).items()}


def unambiguous(
    examples: Iterable[Example], content: Content, classes: Mapping[Word, str]
) -> Iterator[tuple[Example, OpenPattern]]:
    """Yield the examples that have one pattern only, and no token whose word is missing."""
    tokens = set(content.own.values())
    for example in examples:
        own = [content.own[word] for word in example.source if word in content.own]
        if len(set(own)) == len(own) and tokens.intersection(example.target) <= set(own):
            yield example, next(readings(example, content, classes))


def in_order(example: Example, content: Content, classes: Mapping[Word, str]) -> OpenPattern | None:
    """Read an example whose words share tokens: the first word makes the first token; None if the numbers differ."""
    places, forms = _places_of_tokens(example.source, content), _places_of_forms(example, content)
    if any(len(found) != example.target.count(token) for token, found in places.items()):
        return None
    target = [
        forms[made] if made in forms else places[token].pop(0) if token in places else token
        for made, token in enumerate(example.target)
    ]
    return OpenPattern(tuple([classes.get(word, word) for word in example.source]), tuple(target))


def clear_readings(
    examples: Sequence[Example], content: Content, classes: Mapping[Word, str]
) -> list[tuple[Example, OpenPattern]]:
    """Read the unambiguous examples; where these are few, and keep the order of words of a class, others in order."""
    found = list(unambiguous(examples, content, classes))
    if len(found) >= _MANY * len(examples) or not all(keeps_order(pattern) for _, pattern in found):
        return found
    known = {example for example, _ in found}
    others = [(example, in_order(example, content, classes)) for example in examples if example not in known]
    return found + [(example, pattern) for example, pattern in others if pattern is not None]


def keeps_order(pattern: OpenPattern) -> bool:
    """Tell whether words of one class stand in the target in the order of the source."""
    order: dict[str, int] = {}
    for item in dict.fromkeys(pattern.target):
        if isinstance(item, int):
            name = pattern.source[item]
            if order.get(name, -1) > item:
                return False
            order[name] = item
    return True


def replace_spans(pattern: OpenPattern, begin: int, end: int, spans: Sequence[Span], label: str) -> OpenPattern:
    """Put a type in the place of source items and of the parts of the target that they make."""
    source, target = pattern
    made: list[int | str] = []
    done = 0
    for start, stop in spans:
        made += [*target[done:start], begin]
        done = stop
    made += target[done:]
    shift = end - begin - 1
    moved = [item - shift if isinstance(item, int) and item >= end else item for item in made]
    return OpenPattern((*source[:begin], label, *source[end:]), tuple(moved))


def spans_made_by(pattern: OpenPattern, begin: int, rule: OpenPattern) -> list[Span]:
    """Where the target of a rule, whose source stands at `begin`, occurs; nothing unless it is all they make."""
    target = pattern.target
    end = begin + len(rule.source)
    body = tuple([item + begin if isinstance(item, int) else item for item in rule.target])
    length, place = len(body), 0
    found: list[Span] = []
    while place <= len(target) - length:
        if target[place : place + length] == body:
            found.append((place, place + length))
            place += length
        else:
            place += 1
    named = sum(1 for item in target if isinstance(item, int) and begin <= item < end)
    inside = sum(isinstance(item, int) for item in rule.target)
    return found if inside * len(found) == named else []


def pairs_of_tokens(targets: Sequence[Sequence[int | str]]) -> list[tuple[str, str]]:
    """Find tokens that open and close: as many of each in every target, and never a closing one too many."""
    counts = [Counter(item for item in target if isinstance(item, str)) for target in targets]
    tokens = sorted({token for count in counts for token in count})
    vectors: defaultdict[tuple[int, ...], list[str]] = defaultdict(list)
    for token in tokens:
        vectors[tuple([count[token] for count in counts])].append(token)
    return [
        (one, other)
        for vector, alike in vectors.items()
        if sum(map(bool, vector)) > 1
        for one in alike
        for other in alike
        if one != other and all(is_nested(one, other, target) for target in targets)
    ]


def even_tokens(targets: Sequence[Sequence[int | str]]) -> list[str]:
    """Find tokens that may open and close alike, as quotes do: an even number of each in every target."""
    counts: Counter[str] = Counter()
    odd: set[str] = set()
    for target in targets:
        own = Counter(item for item in target if isinstance(item, str))
        counts.update(own.keys())
        odd.update(token for token, count in own.items() if count % 2)
    return sorted(token for token, count in counts.items() if count > 1 and token not in odd)


def is_balanced(target: Parts, pairs: Sequence[tuple[str, str]]) -> bool:
    """Tell whether all that is opened is closed."""
    return all(target.count(one) == target.count(other) and is_nested(one, other, target) for one, other in pairs)
