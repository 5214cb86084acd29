"""What Synth is shown of a training set, and the search for a grammar that explains it."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ness.data.example import Example
from ness.experiments.systems.synth.coding import EpisodeCoder, Pair
from ness.experiments.systems.synth.grammar import VARIABLES, InterpretationGrammar, Rule

# SCAN: percent of the shown commands by the number of their words; rare words are shown more often.
_SCAN_LENGTHS = {1: 5, 2: 14, 3: 34, 4: 12, 5: 6, 6: 8, 7: 9, 8: 3, 9: 8}
_SCAN_FAVOURED, _FAVOUR = ("around", "opposite"), 11


def choose_shown(examples: Sequence[Example], count: int, scan: bool, rng: random.Random) -> list[Example]:
    """Choose what the network is shown: all, if they are few, else different ones, for SCAN as published."""
    examples = list(dict.fromkeys(examples))
    if len(examples) <= count:
        return rng.sample(examples, len(examples))
    if not scan:
        return rng.sample(examples, count)
    by_length: dict[int, list[Example]] = {}
    for example in examples:
        by_length.setdefault(len(example.source), []).append(example)
    known = [length for length in by_length if length in _SCAN_LENGTHS]
    shown: dict[Example, None] = {}
    while len(shown) < count:
        length = rng.choices(known, [_SCAN_LENGTHS[length] for length in known])[0]
        weights = [_FAVOUR if set(_SCAN_FAVOURED) & set(one.source) else 1 for one in by_length[length]]
        shown[rng.choices(by_length[length], weights)[0]] = None
        if all(one in shown for one in by_length[length]):
            known.remove(length)
    return list(shown)


@dataclass(frozen=True)
class Naming:
    """A task's words and output symbols under the names that the network knows."""

    words: dict[str, str]
    symbols: dict[str, str]

    def pairs(self, examples: Iterable[Example]) -> list[Pair]:
        """Rename examples."""
        return [
            (tuple(self.words[word] for word in source), tuple(self.symbols[symbol] for symbol in target))
            for source, target in examples
        ]

    def restored(self, grammar: InterpretationGrammar) -> InterpretationGrammar:
        """Write a grammar in the task's own words; names that the task does not use stay."""
        words = {name: word for word, name in self.words.items()}
        symbols = {name: symbol for symbol, name in self.symbols.items()}
        rules = [
            Rule(
                tuple(token if token in VARIABLES else words.get(token, token) for token in rule.left),
                tuple(token if token in VARIABLES else symbols.get(token, token) for token in rule.right),
            )
            for rule in grammar.rules
        ]
        return InterpretationGrammar(tuple(rules))


def draw_naming(examples: Iterable[Example], coder: EpisodeCoder, rng: random.Random) -> Naming:
    """Give a task's words and output symbols random names."""
    words = sorted({word for example in examples for word in example.source})
    symbols = sorted({symbol for example in examples for symbol in example.target})
    return Naming(
        dict(zip(words, rng.sample(list(coder.words), len(words)), strict=True)),
        dict(zip(symbols, rng.sample(list(coder.symbols), len(symbols)), strict=True)),
    )


def count_wrong(grammar: InterpretationGrammar, pairs: Iterable[Pair], most: int) -> int:
    """Count the examples that a grammar does not explain, and stop when they are more than `most`."""
    wrong = 0
    for source, target in pairs:
        if grammar.interpret(source) != target:
            wrong += 1
            if wrong > most:
                break
    return wrong
