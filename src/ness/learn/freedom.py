"""How much a hypothesis may write down in one rule: a ladder from the paper's machine to long templates.

More freedom finds more programs, wrong ones too. So hypotheses of several freedoms compete, and code length decides
which of them explains the examples best (`ness.learn.learner`).
"""

from collections.abc import Container
from dataclasses import dataclass, replace

from ness.config import Config, CostConfig, SearchConfig
from ness.learn.readings import Reading


@dataclass(frozen=True, slots=True)
class Freedom:
    """What the search of a hypothesis may use."""

    name: str
    literals: int = 0  # target tokens of one template, at most
    literal: float = 1.0  # price of each in the search, in nats; the judge has a price of its own
    reduce_length: int = 2  # target tokens of one REDUCE, at most
    reading: Reading = Reading.PLAIN  # of the examples
    names_words: bool = False  # whether a position of CONCAT_S may hold a word, which stands for its own phrase

    def search(self, config: SearchConfig) -> SearchConfig:
        """The settings of a search with this freedom."""
        longest = max(config.max_reduce_length, self.reduce_length)
        return replace(config, literals=self.literals, max_reduce_length=longest)

    def costs(self, config: CostConfig) -> CostConfig:
        """The prices that lead a search with this freedom."""
        if not self.literals:
            return config
        return replace(config, literal=self.literal, reduce_token=self.literal)


@dataclass(frozen=True, slots=True)
class Effort:
    """How much an attempt may search: small first, so that a freedom that cannot do a task costs little."""

    nodes: float = 1.0  # share of the nodes of a usual search
    escalated: float = 1.0  # share of the nodes of a large one
    refits: float = 1.0  # share of the refits of a survivor
    hopeless: float = 0.0  # share of errors beyond which a lesson is not tried again; 0: never
    budget: float = 0.5  # share of what is left of the node budget that the attempt may spend

    def search(self, config: SearchConfig) -> SearchConfig:
        """The settings of a search with this effort."""
        nodes, escalated = round(config.nodes * self.nodes), round(config.escalated_nodes * self.escalated)
        return replace(config, nodes=nodes, escalated_nodes=escalated)


FULL = Effort()
GLANCE = Effort(nodes=0.2, escalated=0.04, refits=0.3, hopeless=0.3, budget=0.003)  # for a second opinion
QUICK = Effort(nodes=0.4, escalated=0.1, refits=0.5, hopeless=0.5, budget=0.02)
MORE = Effort(nodes=1.0, escalated=0.3, refits=1.0, budget=0.08)

PAPER = Freedom("paper")
_PLAIN = (
    PAPER,
    Freedom("templates", literals=6),
    Freedom("long templates", literals=16, literal=0.5, reduce_length=6),
)
_INSIDE = tuple([replace(freedom, name=f"{freedom.name}, enclosed", reading=Reading.INSIDE) for freedom in _PLAIN])
_BOUNDED = Freedom("boundaries", literals=16, literal=0.5, reduce_length=6, reading=Reading.BOUNDED)
_WORDS = Freedom("word positions", literals=16, literal=0.5, reduce_length=6, names_words=True)
# Where all outputs are enclosed, the freedoms that this asks for come first; where words decide, the last comes, too.
LADDER = (*_INSIDE, *_PLAIN, _BOUNDED, _WORDS)


def least_freedom(literals: int, reduce_length: int, reading: Reading) -> Freedom:
    """The least freedom of a reading that has rules of this size."""
    freedoms = [freedom for freedom in LADDER if freedom.reading == reading and not freedom.names_words]
    enough = (f for f in freedoms if f.literals >= literals and f.reduce_length >= reduce_length)
    return next(enough, freedoms[-1])


def judge_costs(config: Config) -> CostConfig:
    """The prices by which hypotheses are judged, whatever their freedom: a token costs the same wherever it stands."""
    return config.costs if config.machine == "paper" else replace(config.costs, literal=0.5, reduce_token=0.5)


def schedule(machine: str, readings: Container[Reading], words_decide: bool = False) -> list[tuple[Freedom, Effort]]:
    """The first attempts: each freedom from little to much, with a small effort, then with a larger one.

    `words_decide`: whether sources that differ in their content words alone have outputs that differ in more; where
    they never do, naming words has nothing to say.
    """
    if machine == "paper":
        return [(PAPER, FULL)]
    freedoms = [each for each in LADDER if each.reading in readings and (words_decide or not each.names_words)]
    return [(freedom, effort) for effort in (QUICK, MORE) for freedom in freedoms]


FREEDOMS = {freedom.name: freedom for freedom in LADDER}
