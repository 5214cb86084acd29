"""Grammars of ordered rules; the first that matches the whole input wins, and its variables are interpreted in turn."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Tokens = tuple[str, ...]
WORD_VARIABLES = ("u1", "u2")  # match one word
PHRASE_VARIABLES = ("x1", "x2")  # match one word or more
VARIABLES = (*WORD_VARIABLES, *PHRASE_VARIABLES)
ARROW, BREAK = "->", "\n"
_LONGEST = 200  # outputs beyond this length count as none


class Rule(NamedTuple):
    """What is matched, and what it means: output symbols and variables."""

    left: Tokens
    right: Tokens


@dataclass(frozen=True)
class InterpretationGrammar:
    """Rules in order, with the meanings found so far."""

    rules: tuple[Rule, ...]
    _known: dict[Tokens, Tokens | None] = field(default_factory=dict, repr=False, compare=False)

    def interpret(self, words: Tokens) -> Tokens | None:
        """Return the output; None where no rule matches a part, or the output is too long."""
        if words not in self._known:
            self._known[words] = self._interpret(words)
        return self._known[words]

    def _interpret(self, words: Tokens) -> Tokens | None:
        for rule in self.rules:
            bound = match(rule.left, words)
            if bound is None:
                continue
            output: list[str] = []
            for symbol in rule.right:
                if symbol in VARIABLES:
                    # Inputs get shorter with each rule, so this ends; they are short, so it is not deep.
                    meaning = self.interpret(bound[symbol])
                    if meaning is None:
                        return None
                    output += meaning
                else:
                    output.append(symbol)
                if len(output) > _LONGEST:
                    return None
            return tuple(output)
        return None

    def tokens(self) -> Tokens:
        """Write the rules as one sequence, each ended by a line break."""
        return tuple(token for rule in self.rules for token in (*rule.left, ARROW, *rule.right, BREAK))


def match(left: Tokens, words: Tokens) -> dict[str, Tokens] | None:
    """Bind the variables of a left side so that it covers all words; phrases are as long as can be, from the left."""
    if not left:
        return None if words else {}
    first, rest = left[0], left[1:]
    longest = len(words) - len(rest)  # each of the others needs a word
    if longest < 1:
        return None
    lengths = range(longest, 0, -1) if first in PHRASE_VARIABLES else (1,)
    for length in lengths:
        if first not in VARIABLES and words[0] != first:
            return None
        bound = match(rest, words[length:])
        if bound is not None:
            return bound | {first: words[:length]} if first in VARIABLES else bound
    return None


def read_grammar(tokens: Sequence[str]) -> InterpretationGrammar | None:
    """Read rules from a sequence; None where it is no grammar."""
    rules: list[Rule] = []
    line: list[str] = []
    for token in tokens:
        if token != BREAK:
            line.append(token)
            continue
        rule = _read_rule(line)
        if rule is None:
            return None
        rules.append(rule)
        line = []
    return None if line or not rules else InterpretationGrammar(tuple(rules))


def _read_rule(line: Sequence[str]) -> Rule | None:
    if line.count(ARROW) != 1:
        return None
    left, right = tuple(line[: line.index(ARROW)]), tuple(line[line.index(ARROW) + 1 :])
    variables = [token for token in left if token in VARIABLES]
    whole = len(left) == 1 and variables  # a lone variable would stand for itself for ever
    if not left or whole or len(set(variables)) < len(variables):
        return None
    if any(token in VARIABLES and token not in variables for token in right):
        return None
    return Rule(left, right)
