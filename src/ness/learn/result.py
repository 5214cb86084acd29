"""What learning leaves: rules, traces, and what was not learned."""

from dataclasses import dataclass, field

from ness.data.example import Example
from ness.learn.attempts import LessonReport
from ness.learn.freedom import PAPER
from ness.machine import Program
from ness.rules import RuleTable

SURVIVORS = 3  # other rules that are kept for questions, at most


@dataclass
class LearningResult:
    """What was learned, and from what."""

    table: RuleTable
    traces: dict[Example, Program]
    unsolved: list[Example]  # no trace follows the final table
    memorised: list[Example]  # solved by heart only: nothing to generalise from
    contradictory: list[Example]  # another target of the same source is more frequent
    seconds: float
    nodes: int
    attempts: int
    lessons: list[LessonReport] = field(default_factory=list)
    interrupted: bool = False  # by Ctrl-C: this is what there was by then
    freedom: str = PAPER.name  # what the rules may use (see ness.learn.freedom)
    compared: dict[str, float] = field(default_factory=dict)  # nats of the best solution of each freedom that has one
    suspicious: dict[Example, tuple[str, ...]] = field(default_factory=dict)  # probably wrong; the output expected
    survivors: list[RuleTable] = field(default_factory=list)  # other rules that solve the same examples
    cut_off: bool = False  # by the time limit, with examples unsolved or learned by heart

    @property
    def solved(self) -> bool:
        return not self.unsolved
