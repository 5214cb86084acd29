"""What a step costs: rules that other traces use are cheap, new ones cost their description.

A REDUCE rule costs -log of its share among the rules of its words, with a prior that falls with the length
of the rule (spread over the pairs that hold its sides) and grows with the lexicon's evidence. An operator
costs -log of its share in its status, backed off to (top frame, memory) and to the number of words in the frame.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ness.learn.phrases.lexicon import Floats, Ints

SHIFT, REDUCE, PUSH = 0, 1, 2  # the decisions over a frame of words
MEMORY_STATES = 2  # empty, or one phrase
_LONGEST = 64  # frames with more words share their last back-off


@dataclass(frozen=True, slots=True)
class PhraseConfig:
    """The prices of the phrase search, in nats."""

    max_reduce_length: int = 5  # words and tokens of one REDUCE; the whole pair may always be one
    passes: int = 20  # at most, after the start with static costs
    warm_passes: int = 0  # of these, with random changes of the costs, less and less
    temperature: float = 1.0  # of the random changes at first
    block_size: int = 200  # pairs that are searched against the same table
    least_blocks: int = 50  # a small corpus has smaller blocks
    settled_share: float = 0.005  # of the traces: the search ends when a pass changes no more
    concentration: float = 1.0  # weight of a rule's prior against its uses
    length_price: float = 3.0  # for each further word or token of a rule, divided by how often its two sides occur
    forward_weight: float = 1.0  # evidence: share of the source phrase's pairs that hold the target phrase
    backward_weight: float = 0.5  # evidence: share of the target phrase's pairs that hold the source phrase
    phrase_price: float = 0.5  # for every REDUCE
    memorise_price: float = 3.0  # for each further word or token of a rule that takes the whole pair
    decision_weight: float = 2.0  # on the costs of operators: what goes against the majority cannot be decoded greedily
    back_off_weight: float = 2.0  # of a more general status against the counts of a more special one
    swap_share: float = 0.1  # of PUSH among the decisions, before anything is counted
    swap_limit: float = 4.0  # a swap is tried only where both rules have a prior cost up to this
    swap_words: int = 3  # and up to this number of words and tokens each


@dataclass(frozen=True, slots=True)
class StatusKeys:
    """Statuses over frames of words, numbered, with the numbers of their back-offs."""

    frame: Ints  # (top frame, memory)
    size: Ints  # (number of words in the top frame, memory)
    ended: NDArray[np.bool_]  # no input is left: REDUCE is all that can be done

    @classmethod
    def of(
        cls, memory: Ints, source: Ints, size: Ints, following: Ints, source_count: int
    ) -> tuple["StatusKeys", Ints]:
        """Number the statuses; return the keys of the distinct ones and each one's number."""
        frame = memory * source_count + source
        key = frame * (source_count + 1) + following + 1
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        sizes = memory * _LONGEST + np.minimum(size, _LONGEST - 1)
        return cls(frame[first], sizes[first], following[first] < 0), inverse


@dataclass
class PhraseModel:
    """The counts that the costs come from."""

    statuses: StatusKeys
    pair_count: int
    source_count: int
    config: PhraseConfig
    rules: Floats = field(init=False)  # uses of each REDUCE rule
    sources: Floats = field(init=False)  # uses of each source phrase
    by_status: Floats = field(init=False)  # [statuses, decisions]
    by_frame: Floats = field(init=False)
    by_size: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.rules = np.zeros(self.pair_count)
        self.sources = np.zeros(self.source_count)
        self.by_status = np.zeros((len(self.statuses.frame), 3))
        self.by_frame = np.zeros((MEMORY_STATES * self.source_count, 3))
        self.by_size = np.zeros((MEMORY_STATES * _LONGEST, 3))

    def add_rules(self, pairs: Ints, sources: Ints, weight: float) -> None:
        """Count uses of REDUCE rules; weight -1 takes them back."""
        np.add.at(self.rules, pairs, weight)
        np.add.at(self.sources, sources, weight)

    def add_decisions(self, statuses: Ints, decision: int, weight: float) -> None:
        """Count uses of one decision."""
        np.add.at(self.by_status[:, decision], statuses, weight)
        np.add.at(self.by_frame[:, decision], self.statuses.frame[statuses], weight)
        np.add.at(self.by_size[:, decision], self.statuses.size[statuses], weight)

    def rule_costs(self, pairs: Ints, sources: Ints, priors: Floats) -> Floats:
        """-log of each rule's probability; `priors` are its prior probabilities."""
        weight = self.config.concentration
        costs: Floats = np.log(self.sources[sources] + weight) - np.log(self.rules[pairs] + weight * priors)
        return costs

    def decision_costs(self, statuses: Ints) -> Floats:
        """-log of the probability of each decision, [statuses, decisions]."""
        swap = self.config.swap_share
        share = np.array([[(1 - swap) / 2, (1 - swap) / 2, swap]])
        for counts, weight in (
            (self.by_size[self.statuses.size[statuses]], 1.0),
            (self.by_frame[self.statuses.frame[statuses]], self.config.back_off_weight),
            (self.by_status[statuses], self.config.back_off_weight),
        ):
            share = (counts + weight * share) / (counts.sum(axis=1, keepdims=True) + weight)
        costs: Floats = -self.config.decision_weight * np.log(share)
        costs[self.statuses.ended[statuses], REDUCE] = 0.0
        return costs


def prior_costs(
    lengths: Ints, together: Floats, source_totals: Floats, target_totals: Floats, config: PhraseConfig
) -> Floats:
    """The description cost of rules; `lengths` counts words and tokens beyond the first of each side."""
    costs: Floats = (
        config.length_price * lengths / np.sqrt(source_totals * target_totals)
        - config.forward_weight * np.log(together / source_totals)
        - config.backward_weight * np.log(together / target_totals)
    )
    return costs
