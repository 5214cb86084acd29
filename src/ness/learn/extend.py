"""Going on from known traces: what is new is run through their rules, and searched where that does not do."""

from collections.abc import Mapping
from typing import NamedTuple

from ness.config import Config
from ness.data.example import Example
from ness.errors import IllegalInstruction
from ness.learn.coding import LITERAL, Codec, CodedTrace, Sample
from ness.learn.cues import Cues
from ness.learn.finish import Finished, finish
from ness.learn.fit import Hypothesis, categories
from ness.learn.freedom import PAPER, Freedom, least_freedom
from ness.learn.pins import CodedPins
from ness.learn.readings import Reading
from ness.machine import ConcatS, Program
from ness.machine.boundaries import BEGIN, END


class Extended(NamedTuple):
    """The rules for old and new samples, and what they may use."""

    finished: Finished
    freedom: str


def extended(
    codec: Codec,
    known: Mapping[Example, Program],
    samples: list[Sample],
    config: Config,
    deadline: float,
    pins: CodedPins,
    doubted: Mapping[Sample, str],
) -> Extended | None:
    """Learn what is new beside known traces; None where that does not solve everything.

    `doubted` are samples that are probably wrong, with the outputs expected.
    """
    if any(isinstance(each, ConcatS) and each.own for program in known.values() for each in program):
        return None  # the search knows no rules that name words
    examples = {
        example: program
        for example, program in known.items()
        if codec.words.keys() >= set(example.source) and codec.tokens.keys() >= set(example.target)
    }
    reading = Reading.PLAIN
    try:
        traces = {codec.encode(*each): codec.trace(each.source, program) for each, program in examples.items()}
    except IllegalInstruction:  # made with boundaries
        reading, samples = Reading.BOUNDED, [codec.wrapped(sample) for sample in samples]
        doubted = {codec.wrapped(sample): output for sample, output in doubted.items()}
        traces = {
            codec.wrapped(codec.encode(*each)): codec.trace((BEGIN, *each.source, END), program)
            for each, program in examples.items()
        }
    wanted = set(samples)
    traces = {sample: trace for sample, trace in traces.items() if sample in wanted and pins.obeyed_by(trace)}
    if not traces:
        return None
    freedom = _freedom(traces, reading, config)
    hypothesis = Hypothesis(traces, freedom=freedom.name, pins=pins)
    rules = hypothesis.rules(config.costs, Cues())
    hypothesis.classes = categories(rules, {word for source, _ in samples for word in source})
    finished = finish(hypothesis, samples, config, deadline, doubted)
    return None if finished.unsolved or finished.memorised else Extended(finished, freedom.name)


def _freedom(traces: Mapping[Sample, CodedTrace], reading: Reading, config: Config) -> Freedom:
    """The least freedom that has the rules of traces."""
    if config.machine == "paper":
        return PAPER
    literals = reduce_length = 0
    for trace in traces.values():
        for _, _, argument in trace:
            if isinstance(argument, str):
                reduce_length = max(reduce_length, len(argument))
            elif argument is not None:
                literals = max(literals, sum(part >= LITERAL for part in argument))
    return least_freedom(literals, reduce_length, reading)
