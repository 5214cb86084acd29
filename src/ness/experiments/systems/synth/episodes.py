"""Meta-training: random grammars with examples of their own. Nothing here comes from a task's training set."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ness.experiments.systems.synth.grammar import VARIABLES, WORD_VARIABLES, InterpretationGrammar, Rule, Tokens

_TRIES = 400  # draws of examples before a grammar is given up
_DEEPEST = 4  # of phrases in phrases


@dataclass(frozen=True, slots=True)
class Kind:
    """The sizes of random grammars and of what is shown of them; spans are from the least to the most."""

    words: int  # input words in all
    outputs: int
    primitives: tuple[int, int]
    functions: tuple[int, int]
    pairs: tuple[int, int]
    source: int  # words of an example at most
    target: int  # symbols of an example at most
    more: float  # chance of each further variable on a right side
    empty: float  # chance that a primitive means nothing
    grammar: int = 100  # tokens at most


SCAN = Kind(17, 9, (4, 8), (3, 7), (30, 50), source=10, target=30, more=0.65, empty=1 / 7)
FEWSHOT = Kind(12, 8, (3, 4), (2, 4), (10, 20), source=6, target=6, more=0.4, empty=0.0)
KINDS = {"scan": SCAN, "fewshot": FEWSHOT}


@dataclass(frozen=True, slots=True)
class Episode:
    """A grammar and examples of it; words are w0, w1, ..., output symbols o0, o1, ..."""

    grammar: InterpretationGrammar
    pairs: list[tuple[Tokens, Tokens]]


def draw_episode(kind: Kind, rng: random.Random) -> Episode:
    """Draw grammars until one has enough examples."""
    while True:
        grammar = _draw_grammar(kind, rng)
        if len(grammar.tokens()) < kind.grammar and (pairs := _draw_pairs(kind, grammar, rng)):
            return Episode(grammar, pairs)


def _draw_grammar(kind: Kind, rng: random.Random) -> InterpretationGrammar:
    words = [f"w{number}" for number in range(kind.words)]
    outputs = [f"o{number}" for number in range(kind.outputs)]
    rng.shuffle(words)
    rules = [
        Rule((words.pop(),), () if rng.random() < kind.empty else (symbol,))
        for symbol in rng.sample(outputs, rng.randint(*kind.primitives))
    ]
    for _ in range(rng.randint(*kind.functions)):
        variables = rng.sample(VARIABLES, 1 if rng.random() < 0.4 else 2)
        right = list(variables)
        while rng.random() < kind.more:
            right.append(rng.choice(variables))
        rng.shuffle(right)
        rules.append(Rule((variables[0], words.pop(), *variables[1:]), tuple(right)))
    rules.append(rng.choice([Rule(("u1", "u2"), ("u2", "u1")), Rule(("u1", "x1"), ("u1", "x1"))]))
    return InterpretationGrammar(tuple(rules))


def _draw_pairs(kind: Kind, grammar: InterpretationGrammar, rng: random.Random) -> list[tuple[Tokens, Tokens]] | None:
    """Draw different examples from the left sides, each primitive once at least; None if there are too few."""
    primitives = [rule.left[0] for rule in grammar.rules if len(rule.left) == 1]
    found: dict[Tokens, Tokens] = {}
    for word in primitives:
        if meaning := grammar.interpret((word,)):
            found[(word,)] = meaning
    wanted = rng.randint(*kind.pairs)
    others = [rule for rule in grammar.rules if len(rule.left) > 1]
    for _ in range(_TRIES):
        if len(found) >= wanted:
            pairs = list(found.items())
            rng.shuffle(pairs)
            return pairs
        source = _expand(rng.choice(others), others, primitives, rng, _DEEPEST)
        if len(source) <= kind.source:
            meaning = grammar.interpret(source)
            if meaning and len(meaning) <= kind.target:
                found[source] = meaning
    return None


def _expand(rule: Rule, rules: Sequence[Rule], primitives: Sequence[str], rng: random.Random, depth: int) -> Tokens:
    """Fill the variables of a left side."""
    words: list[str] = []
    for token in rule.left:
        if token not in VARIABLES:
            words.append(token)
        elif token in WORD_VARIABLES or depth == 0 or rng.random() < 0.5:
            words.append(rng.choice(primitives))
        else:
            words += _expand(rng.choice(rules), rules, primitives, rng, depth - 1)
    return tuple(words)
