"""GECA (Andreas 2020): new examples by recombining fragments of known ones, then a plain LSTM on both."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ness.data.example import Example
from ness.experiments.systems.interface import Fit, Report, Training
from ness.experiments.systems.lstm import LstmNetwork, LstmSettings
from ness.experiments.systems.networks import Network
from ness.experiments.systems.neural import NeuralSystem

Filler = tuple[str, str]  # a word of the source, a token of the target
Template = tuple[str | int, ...]  # tokens, the separator and the slots 0 and 1
_SEPARATOR, _FIRST, _SECOND = -1, 0, 1
_LONGEST = 40  # tokens of an example, the separator among them, from which on it is skipped
_TRIES = 2  # fillers that each template is tried with
_MOST = 400  # new examples: the authors' files for SCAN have 325 to 412


def augmented(examples: Sequence[Example], rng: random.Random) -> list[Example]:
    """Make new examples: fill a template with fillers of templates that share one with it.

    Slots are one token each, one in the source and one in the target, as in all that the authors' code keeps.
    """
    fillers = _templates(examples)
    shared: dict[Filler, Counter[Filler]] = defaultdict(Counter)
    for group in fillers.values():
        if len(group) > 1:
            for one in group:
                shared[one].update(group)
    pools: dict[frozenset[Filler], tuple[list[Filler], list[int]]] = {}
    sources = {example.source for example in examples}
    targets = {example.target for example in examples}
    made: dict[Example, None] = {}
    for template in rng.sample(list(fillers), len(fillers)):
        known = frozenset(fillers[template])
        if known not in pools:
            pools[known] = _pool(known, shared)
        choices, weights = pools[known]
        if not choices:
            continue
        for filler in rng.choices(choices, cum_weights=weights, k=_TRIES):
            new = _filled(template, filler)
            if new.source not in sources and new.target not in targets:
                made[new] = None
        if len(made) >= _MOST:
            break
    return list(made)[:_MOST]


def _templates(examples: Sequence[Example]) -> dict[Template, list[Filler]]:
    """Replace each word of a source together with each token of its target by slots, all their occurrences."""
    found: dict[Template, dict[Filler, None]] = defaultdict(dict)
    for source, target in dict.fromkeys(examples):
        if len(source) + 1 + len(target) >= _LONGEST:
            continue
        whole: Template = (*source, _SEPARATOR, *target)
        for first in dict.fromkeys(source):
            once = tuple(_FIRST if token == first else token for token in whole)
            for second in dict.fromkeys(target):
                if second != first:
                    found[tuple(_SECOND if token == second else token for token in once)][first, second] = None
    return {template: list(group) for template, group in found.items()}


def _pool(known: frozenset[Filler], shared: dict[Filler, Counter[Filler]]) -> tuple[list[Filler], list[int]]:
    """Collect, with repetition, what templates that share a filler have; leave out what is no news."""
    counts: Counter[Filler] = Counter()
    for filler in sorted(known):
        if filler in shared:
            counts.update(shared[filler])
    new = [
        filler for filler in sorted(counts) if filler not in known and not all(set(filler) & set(one) for one in known)
    ]
    return new, list(accumulate(counts[filler] for filler in new))


def _filled(template: Template, filler: Filler) -> Example:
    tokens = [filler[token] if token in (_FIRST, _SECOND) else token for token in template]
    middle = tokens.index(_SEPARATOR)
    return Example(tuple(map(str, tokens[:middle])), tuple(map(str, tokens[middle + 1 :])))


@dataclass(frozen=True, slots=True, kw_only=True)
class GecaSettings(LstmSettings):
    """As in the authors' code, with our LSTM and a rate that shrinks evenly."""

    hidden_size: int = 512
    dropout: float = 0.5
    warmup: int = 0
    stop_loss: float = 0.0
    steps: int = 4800
    synthetic: float = 0.3  # share of the examples of a batch that are new ones


class Geca(NeuralSystem):
    """Trains our LSTM on the examples without copies and on new ones."""

    name = "geca"
    recordable = True
    settings: GecaSettings

    @classmethod
    def settings_for(cls, task: str) -> GecaSettings:
        return GecaSettings()

    def fit(self, training: Training, report: Report = lambda _: None) -> Fit:
        fit = super().fit(training, report)
        fit.notes["synthetic"] = self._new
        return fit

    def examples(self, training: Training, rng: random.Random) -> list[Example]:
        real = list(dict.fromkeys(training.examples))
        new = augmented(real, rng)
        self._real, self._new = len(real), len(new)
        return real + new

    def batches(self, lengths: Sequence[int], rng: random.Random) -> Iterator[list[int]]:
        real, new = range(self._real), range(self._real, len(lengths))
        share = self.settings.synthetic if new else 0.0
        while True:
            yield [rng.choice(new if rng.random() < share else real) for _ in range(self.settings.batch_size)]

    def build(self, sources: int, targets: int, training: Training) -> Network:
        return LstmNetwork(sources, targets, self.settings)
