"""A seeded sampler of inputs of an exact length, linear in that length.

It draws productions, not strings, so all of them occur at all lengths. A label has a *comfort*, a length beyond which
it is drawn more and more rarely, so that long inputs are rich programs, and only now and then one huge sum.
"""

from bisect import bisect
from functools import cache
from itertools import accumulate
from math import inf
from random import Random
from typing import NamedTuple

from ness.data.parsing.grammar import LANGUAGES, Language, Node, Production
from ness.errors import DataError

_COMFORT = {"Op*": 7, "Op+": 11, "Eq": 15, "Assign": 15, "If": 31, "App": 6}
_SMALL = 24  # the usual length of the smaller of two parts that can both grow


class _Form(NamedTuple):
    """A production with what a draw needs to know about it."""

    production: Production
    labels: tuple[str, ...]  # its non-terminals
    least: int  # the length of its shortest input
    least_each: tuple[int, ...]  # and of that of each non-terminal
    growing: tuple[int, ...]  # the non-terminals without a longest input, those that bear length best last


class Sampler:
    """Draws trees of one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.step = 2 if language.name == "while" else 1  # While-Lang inputs have odd lengths
        least, growing = _least_lengths(language), _growing_labels(language)
        self._forms = {
            label: [_form(production, language, least, growing) for production in productions]
            for label, productions in language.by_label.items()
        }
        self._choices: dict[tuple[str, int], tuple[list[_Form], list[float]]] = {}

    def draw(self, rng: Random, length: int, label: str | None = None) -> Node:
        """Draw a tree whose input has exactly this length, for a random start label unless one is given."""
        label = label or self._draw_start(rng, length)
        if not self._fitting(label, length):
            raise DataError(f"no {label} of the {self.language.name} language has length {length}")
        # Expand from left to right, then build the nodes from right to left: no recursion.
        expanded: list[Production] = []
        rest = [(label, length)]
        while rest:
            label, length = rest.pop()
            form = self._draw_form(rng, label, length)
            expanded.append(form.production)
            if form.labels:
                lengths = self._share(rng, form, length)
                rest.extend(zip(reversed(form.labels), reversed(lengths), strict=True))
        built: list[Node] = []
        labels = self._forms
        for production in reversed(expanded):
            parts = tuple([built.pop() if part in labels else part for part in production.parts])
            built.append(Node(production, parts))
        return built.pop()

    def _fitting(self, label: str, length: int) -> list[_Form]:
        """List the productions of a label that have an input of this length."""
        forms = []
        for form in self._forms[label]:
            extra = length - form.least
            if extra == 0 or (extra > 0 and form.growing and extra % self.step == 0):
                forms.append(form)
        return forms

    def _draw_start(self, rng: Random, length: int) -> str:
        starts = [label for label in self.language.starts if self._fitting(label, length)]
        if not starts:
            raise DataError(f"no input of the {self.language.name} language has length {length}")
        return rng.choices(starts, [_fit(label, length) for label in starts])[0]

    def _draw_form(self, rng: Random, label: str, length: int) -> _Form:
        # Above 64 tokens the choices of a power of two stand for all lengths up to the next one.
        key = (label, length if length <= 64 else (1 << length.bit_length() - 1) + (length & 1))
        choices = self._choices.get(key)
        if choices is None:
            forms = self._fitting(*key)
            weights = [max((_fit(form.labels[n], key[1]) for n in form.growing), default=1.0) for form in forms]
            choices = self._choices[key] = forms, list(accumulate(weights))
        forms, cumulated = choices
        return forms[bisect(cumulated, rng.random() * cumulated[-1], 0, len(forms) - 1)]

    def _share(self, rng: Random, form: _Form, length: int) -> list[int]:
        """Divide the tokens of a production among its non-terminals."""
        lengths = list(form.least_each)
        extra = (length - form.least) // self.step
        if extra and form.growing:
            *others, main = form.growing
            # Of two that bear length equally well, either may be the longer one.
            if (
                others
                and _COMFORT.get(form.labels[others[0]]) == _COMFORT.get(form.labels[main])
                and rng.random() < 0.5
            ):
                others, main = [main], others[0]
            for number in others:
                taken = self._draw_extra(rng, form.labels[number], extra)
                lengths[number] += taken * self.step
                extra -= taken
            lengths[main] += extra * self.step
        return lengths

    def _draw_extra(self, rng: Random, label: str, extra: int) -> int:
        usual = min(_COMFORT.get(label, _SMALL), _SMALL) // self.step
        large = extra <= usual or (label not in _COMFORT and rng.random() < 0.3)
        return int(rng.random() * ((extra if large else usual) + 1))


def _form(production: Production, language: Language, least: dict[str, int], growing: set[str]) -> _Form:
    labels = tuple(part for part in production.parts if part in language.by_label)
    numbers = [number for number, label in enumerate(labels) if label in growing]
    return _Form(
        production,
        labels,
        sum(least.get(part, 1) for part in production.parts),
        tuple(least[label] for label in labels),
        tuple(sorted(numbers, key=lambda number: _COMFORT.get(labels[number], inf))),
    )


def _growing_labels(language: Language) -> set[str]:
    """Collect the labels whose inputs have no longest length; the others only hold tokens."""
    branching = {p.label for p in language.productions if any(part in language.by_label for part in p.parts)}
    return {p.label for p in language.productions if any(part in branching for part in p.parts)}


def _least_lengths(language: Language) -> dict[str, int]:
    """Compute the length of the shortest input of each label."""
    least: dict[str, float] = dict.fromkeys(language.by_label, inf)
    changed = True
    while changed:
        changed = False
        for production in language.productions:
            length = sum(least.get(part, 1) for part in production.parts)
            if length < least[production.label]:
                least[production.label] = length
                changed = True
    return {label: int(length) for label, length in least.items()}


def _fit(label: str, length: int) -> float:
    return min(1.0, _COMFORT.get(label, inf) / length)


@cache
def sampler_of(language_name: str) -> Sampler:
    """Return the sampler of a language; its tables of choices are shared."""
    return Sampler(LANGUAGES[language_name])
