"""A hypothesis from the derivations of a grammar, with some words as content."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ness.config import Config
from ness.learn.coding import CodedTrace, CodedView, Sample, without_kinds
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.derivations.compounds import NONE as NO_COMPOUNDS
from ness.learn.derivations.compounds import Compounds
from ness.learn.derivations.grammar import Edges, FrameGrammar, GrammarLimits
from ness.learn.derivations.inflections import NONE, Inflections
from ness.learn.derivations.rules import RuleBook
from ness.learn.fit import Hypothesis, categories_of_traces
from ness.learn.freedom import least_freedom
from ness.learn.lexicon import Lexicon
from ness.learn.readings import Reading
from ness.learn.replay import unsolved_samples
from ness.learn.uses import share_steps
from ness.machine.opcodes import PUSH, SHIFT

LITERALS = 48  # tokens of one template, at most; each has its price
_ROUNDS = 4  # of deriving otherwise what contradicts other traces


class Way(NamedTuple):
    """One way to look for grammars."""

    effort: int
    growing: bool = False  # whether a grammar gets more effort where there are many patterns
    shared: bool = False  # whether a new rule is cheaper the more patterns might use it
    contextual: bool = False  # whether a frame may have another template after another word
    once: bool = True  # whether content words are written once; else several times
    kinds: bool = False  # whether a frame may have another template for phrases of other kinds
    forms: bool = False  # whether words may have several forms, which stay visible

    def without_effort(self) -> "Way":
        """The way, with whatever effort."""
        return self._replace(effort=0, growing=False)


@dataclass
class GrammarOptions:
    """What to look for a grammar with."""

    content: Mapping[int, str]
    lexicon: Lexicon
    way: Way
    deadline: float
    literals: int = LITERALS  # tokens of one template, at most
    inflections: Inflections = NONE  # words with several forms; the lexicon knows one token for all of them
    compounds: Compounds = NO_COMPOUNDS  # words in a row that content and lexicon know as one
    edges: Edges | None = None  # the words for begin and end of the input, where it has them
    limited: bool = False  # whether one was looked for with so much effort that more might change it
    torn: bool = False  # whether one was looked for in which a frame has several templates


class Derived(NamedTuple):
    """A hypothesis from derivations, its rules, and whether few of them serve many patterns."""

    hypothesis: Hypothesis
    rules: RuleCosts
    compact: bool


class _Written(NamedTuple):
    """A hypothesis from the traces of a grammar, its rules, and the samples whose traces these do not follow."""

    hypothesis: Hypothesis
    rules: RuleCosts
    contradicted: list[Sample]


def derive(options: GrammarOptions, samples: Sequence[Sample], reading: Reading, config: Config) -> Derived | None:
    """The traces of all samples that a grammar derives; None if that takes too much effort or finds nothing.

    Where some traces divide words that others read into one frame, a grammar that does not may contradict itself less.
    """
    way = options.way
    limits = GrammarLimits(options.literals, way.effort, options.deadline, way.growing)
    book = RuleBook(way.shared, way.contextual, kinds=way.kinds)
    grammar = FrameGrammar(
        options.content, options.lexicon, limits, book, options.inflections, options.compounds, options.edges
    )
    found = _best_written(grammar, samples, reading, config) if grammar.learn(samples) else None
    options.limited |= grammar.is_limited
    options.torn |= grammar.is_torn
    compact = grammar.is_compact
    divided = torn_words(found.hypothesis.traces.values()) if found is not None and found.contradicted else set()
    if found is not None and divided and grammar.learn_undivided(samples, divided):
        other = _written(grammar, samples, reading, config)
        if other is not None and len(other.contradicted) < len(found.contradicted):
            found, compact = other, grammar.is_compact
    options.torn |= grammar.is_torn
    return None if found is None else Derived(found.hypothesis, found.rules, compact)


def _best_written(
    grammar: FrameGrammar, samples: Sequence[Sample], reading: Reading, config: Config
) -> _Written | None:
    """Where traces contradict each other, those of the fewer patterns are derived otherwise, as long as that helps."""
    best = _written(grammar, samples, reading, config)
    for _ in range(_ROUNDS):
        if best is None or not best.contradicted or not grammar.learn_otherwise(best.contradicted):
            break
        found = _written(grammar, samples, reading, config)
        if found is None or len(found.contradicted) >= len(best.contradicted):
            break
        best = found
    return best


def torn_words(traces: Iterable[CodedTrace]) -> set[tuple[int, int]]:
    """Words in a row that some traces read into one frame, while others begin a phrase with the second one."""
    taken: defaultdict[tuple[CodedView, int], set[int]] = defaultdict(set)
    for trace in traces:
        for (next_word, top, _, _), operator, _ in trace:
            if top and top[-1] >= 0 and next_word >= 0:
                taken[without_kinds(top), next_word].add(operator)
    return {(top[-1], word) for (top, word), operators in taken.items() if operators >= {PUSH, SHIFT}}


def _written(grammar: FrameGrammar, samples: Sequence[Sample], reading: Reading, config: Config) -> _Written | None:
    """The traces that a grammar has, with their categories, and the least freedom that allows them."""
    traces = share_steps(grammar.traces(samples))
    if not traces:
        return None
    sizes = [(rule.literals, rule) for rule in grammar.book.uses]
    literals = max((size for size, rule in sizes if len(rule.parts) > size), default=0)
    reduce_length = max((size for size, rule in sizes if len(rule.parts) == size), default=1)
    phrases = max(map(len, grammar.content.values()))
    freedom = least_freedom(literals, max(reduce_length, phrases), reading)
    hypothesis = Hypothesis(traces, freedom=freedom.name, contextual=grammar.book.contextual)
    words = {word for source, _ in samples for word in source}
    hypothesis.classes = categories_of_traces(traces.values(), words)
    rules = hypothesis.rules(config.costs, Cues())
    return _Written(hypothesis, rules, unsolved_samples(rules, list(traces)))
