"""Phase two: choose one trace for each sample so that one network can follow all of them.

A sample's traces have weights theta. Traces are drawn by softmax(theta), the network learns them, and where a sample
is then parsed wrongly, the weights move away from what was drawn.
"""

import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from ness.experiments.systems.neural_parser.machine import Op, ParserAction, ParserDecision, ParserStatus, run
from ness.experiments.systems.neural_parser.network import ParserNetwork, actions_of
from ness.experiments.systems.neural_parser.phase_one import Trace, TreeSample


@dataclass
class Candidates:
    """A sample with its traces and their weights."""

    sample: TreeSample
    traces: list[Trace]
    theta: list[float]

    def probabilities(self) -> list[float]:
        """Return softmax(theta)."""
        powers = [math.exp(weight - max(self.theta)) for weight in self.theta]
        return [power / sum(powers) for power in powers]

    def draw(self, rng: random.Random) -> int:
        """Draw the number of a trace."""
        return rng.choices(range(len(self.traces)), self.probabilities())[0]

    def likeliest(self) -> int:
        """Return the number of the trace with the largest weight."""
        return max(range(len(self.theta)), key=self.theta.__getitem__)

    def add(self, traces: Iterable[Trace]) -> None:
        """Add traces that are not there yet, as likely as the likeliest."""
        weight = max(self.theta)
        for trace in traces:
            if trace not in self.traces:
                self.traces.append(trace)
                self.theta.append(weight)

    def discourage(self, drawn: int, rate: float) -> None:
        """Go down the gradient of log p(drawn)."""
        for number, probability in enumerate(self.probabilities()):
            self.theta[number] -= rate * ((number == drawn) - probability)


class RememberedPolicy:
    """The network's greedy decisions; a status is decided once, since nothing else matters."""

    def __init__(self, network: ParserNetwork) -> None:
        self._network = network
        self._known: dict[ParserStatus, ParserDecision] = {}

    def __call__(self, status: ParserStatus) -> ParserAction:
        decision = self._known.get(status)
        if decision is None:
            decision = self._known[status] = (status, self._network.best([status])[0])
        return decision[1]

    def decide(self, statuses: Sequence[ParserStatus]) -> None:
        """Decide many statuses at once."""
        different = list(dict.fromkeys(statuses))
        for decision in zip(different, self._network.best(different), strict=True):
            self._known[decision[0]] = decision

    def trace(self, sample: TreeSample) -> Trace | None:
        """Return the trace of a sample that is parsed rightly, without building anything that is no part of it."""
        decisions = []
        for state, status, action in run(sample.source, self):
            if not sample.allows(action, state.top):
                return None
            decisions.append(self._known[status])  # shared, since there may be millions
        if decisions[-1][1].op != Op.FINAL or state.top[0] != sample.tree:
            return None
        return tuple(decisions)


def settle(candidates: Sequence[Candidates], rounds: int, rate: float, rng: random.Random) -> None:
    """Move the weights away from traces that contradict most others, before a network is trained on what is drawn.

    A table of the most frequent decisions takes the network's place, which makes a round a matter of milliseconds.
    """
    undecided = [one for one in candidates if len(one.traces) > 1]
    decided = Counter(decision for one in candidates if len(one.traces) == 1 for decision in one.traces[0])
    for _ in range(rounds):
        drawn = [one.draw(rng) for one in undecided]
        traces = [one.traces[number] for one, number in zip(undecided, drawn, strict=True)]
        table = _table(decided + Counter(decision for trace in traces for decision in trace))
        odd = [any(contradicts(table, decision) for decision in trace) for trace in traces]
        if not any(odd):
            return
        for one, number, is_odd in zip(undecided, drawn, odd, strict=True):
            if is_odd:
                one.discourage(number, rate)


Asked = tuple[object, ...]  # what is asked of the network's three parts, and one more
Votes = dict[Asked, object]


def majority(traces: Iterable[Trace]) -> Votes:
    """Tabulate the most frequent answer to each question."""
    return _table(Counter(decision for trace in traces for decision in trace))


def _table(decisions: Counter[ParserDecision]) -> Votes:
    votes: dict[Asked, Counter[object]] = {}
    for decision, count in decisions.items():
        for asked, answer in _questions(decision):
            votes.setdefault(asked, Counter())[answer] += count
    return {asked: answers.most_common(1)[0][0] for asked, answers in votes.items()}


def contradicts(table: Votes, decision: ParserDecision) -> int:
    """Count the parts of a decision that are not as in the table."""
    return sum(table.get(asked, answer) != answer for asked, answer in _questions(decision))


def _questions(decision: ParserDecision) -> Iterator[tuple[Asked, object]]:
    status, action = decision
    yield ("instruction", status), action.op
    if action.label:
        yield ("label", status.top), action.label
        yield ("children", action.label), action.places
        # Whatever a label's children are, what is dropped around them should be the same.
        dropped = tuple("" if place in action.places else root for place, root in enumerate(status.top))
        yield ("dropped", action.label), dropped


@dataclass(frozen=True)
class ImitationLimits:
    """When the training of drawn traces ends."""

    rate: float
    clip_norm: float
    steps: int
    loss: float  # mean over decisions
    deadline: float = math.inf  # of time.monotonic()


_PATIENCE = 60  # steps after which a loss that does not fall any more is given up
_FALL = 0.9


def imitate(
    network: ParserNetwork, traces: Sequence[Trace], limits: ImitationLimits, on_step: Callable[[float], None]
) -> bool:
    """Train on the decisions of traces, all of them in each step; say whether all are followed in the end."""
    counts: Counter[ParserDecision] = Counter(decision for trace in traces for decision in trace)
    decisions = list(counts)
    batch = network.coder.statuses([status for status, _ in decisions])
    actions = actions_of(decisions, network.coder)
    weights = torch.tensor([1 + math.log(counts[decision]) for decision in decisions])
    weights /= weights.sum()
    optimizer = torch.optim.Adam(network.parameters(), lr=limits.rate)
    lowest, since = math.inf, 0
    for _ in range(limits.steps):
        loss = (network.loss(batch, actions) * weights).sum()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), limits.clip_norm)
        optimizer.step()
        value = loss.item()
        on_step(value)
        lowest, since = (value, 0) if value < _FALL * lowest else (lowest, since + 1)
        if value < limits.loss or since > _PATIENCE or time.monotonic() > limits.deadline:
            break
    return network.best([status for status, _ in decisions]) == [action for _, action in decisions]
