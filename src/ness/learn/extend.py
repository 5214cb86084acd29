"""Going on from known rules: all samples are run through them, and searched where that does not do."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ness.config import Config
from ness.learn.coding import LITERAL, Codec, CodedTrace, Sample, kind_character, kind_of
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.finish import FinishedRules, finish, run_all
from ness.learn.fit import Hypothesis, categories
from ness.learn.freedom import PAPER, Freedom, least_freedom
from ness.learn.pins import CodedPins
from ness.learn.readings import Reading
from ness.machine import Parts
from ness.machine.boundaries import BEGIN, END
from ness.machine.opcodes import CODES
from ness.rules.backoff import bump
from ness.rules.table import RuleTable


class ExtendedRules(NamedTuple):
    """The rules for old and new samples, and what they may use."""

    finished: FinishedRules
    freedom: str


def extend_rules(
    codec: Codec,
    known: RuleTable,
    samples: list[Sample],
    config: Config,
    deadline: float,
    pins: CodedPins,
    doubt: Callable[[], Mapping[Sample, str]],
) -> ExtendedRules | None:
    """Learn what known rules do not solve beside what they do; None where they solve nothing or name words.

    `doubt` tells, where that matters, which samples are probably wrong, with the outputs expected.
    """
    if known.names_words or known.imagined:
        return None  # what such rules take apart from words, codes do not keep: all is learned anew
    reading = Reading.PLAIN
    if any(status.next == BEGIN for status in known.operators):
        reading, samples = Reading.BOUNDED, [codec.with_boundaries(sample) for sample in samples]
    rules = _code_rules(codec, known, config)
    solved, _ = run_all(rules, samples)
    traces = {sample: trace for sample, trace in solved.items() if pins.obeyed_by(trace)}
    if not traces:
        return None
    freedom = _freedom_of(traces, reading, config)
    contextual = bool(known.contexts)
    hypothesis = Hypothesis(traces, rules.classes, freedom=freedom.name, pins=pins, contextual=contextual)
    rules = hypothesis.rules(config.costs, Cues())
    if len(traces) == len(samples):
        return ExtendedRules(FinishedRules(rules, traces, [], [], 0), freedom.name)
    doubted = doubt()
    if reading == Reading.BOUNDED:
        doubted = {codec.with_boundaries(sample): output for sample, output in doubted.items()}
    samples = [sample for sample in samples if sample not in doubted]
    # What is new may tell which words are alike.
    hypothesis.classes = categories(rules, {word for source, _ in samples for word in source})
    finished = finish(hypothesis.forgetting(doubted), samples, config, deadline, doubted)
    return ExtendedRules(finished, freedom.name)


def _code_rules(codec: Codec, table: RuleTable, config: Config) -> RuleCosts:
    """Rules with their counts, as the learner has them; without those of words and tokens that no example has."""
    rules = RuleCosts(config.costs, Cues())
    classes: dict[int, int] = {}
    for members in table.categories.classes:
        codes = [codec.words[word] for word in members if word in codec.words]
        classes |= dict.fromkeys(codes, codes[0])
    rules.classes = classes
    for status, operators in table.operators.items():
        if _knows(codec, (status.next, *status.top, *(status.second or ()))):
            coded = codec.code_status(status)
            for operator, count in operators.items():
                rules.operators.add(coded, rules.category_status(coded), CODES[operator], count)
    for words, phrases in table.reduce.items():
        for phrase, count in phrases.items():
            if _knows(codec, words) and codec.tokens.keys() >= set(phrase):
                coded_phrase = codec.encode((), phrase)[1] + kind_character(table.reduce_kinds.get(words, 0))
                bump(rules.reduce, codec.code_view(words), coded_phrase, count)
    _code_arguments(codec, table, rules)
    return rules


def _code_arguments(codec: Codec, table: RuleTable, rules: RuleCosts) -> None:
    """Add the arguments of CONCAT, also by second frame where that tells them."""
    rules.contextual = bool(table.contexts)
    for (name, top, memory), arguments in table.concat.items():
        if not _knows(codec, top):
            continue
        key = (CODES[name], codec.code_view(top), len(memory))
        for parts, count in arguments.items():
            if _writes(codec, parts):
                rules.add_concat(*key, codec.code_parts(parts), count)
        for second, row in table.contexts.get((name, top, memory), {}).items():
            for parts, count in row.items():
                if _knows(codec, second or ()) and _writes(codec, parts):
                    above = rules.categorise(codec.code_second(second))
                    rules.add_context(key, above, codec.code_parts(parts), count)


def _knows(codec: Codec, items: Iterable[object]) -> bool:
    """Tell whether examples have all words among these."""
    return all(item in codec.words or item in (BEGIN, END) for item in items if isinstance(item, str))


def _writes(codec: Codec, parts: Parts) -> bool:
    """Tell whether examples have all tokens of an argument."""
    return all(isinstance(part, int) or part in codec.tokens for part in parts)


def _freedom_of(traces: Mapping[Sample, CodedTrace], reading: Reading, config: Config) -> Freedom:
    """The least freedom that has the rules of traces."""
    if config.machine == "paper":
        return PAPER
    literals = reduce_length = 0
    for trace in traces.values():
        for _, _, argument in trace:
            if isinstance(argument, str):
                reduce_length = max(reduce_length, len(argument) - (kind_of(argument) > 0))
            elif argument is not None:
                literals = max(literals, sum(part >= LITERAL for part in argument))
    return least_freedom(literals, reduce_length, reading)
