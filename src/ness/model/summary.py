"""How learning went: what was learned, what only by heart, what not. Kept as summary.json in the run folder."""

from dataclasses import dataclass, field

from ness.data.example import Example

_NEXT_TO_NOTHING = 0.1  # of the examples with several words


@dataclass
class Suspect:
    """An example that was not learned, since it is probably wrong, and the output that the others lead to."""

    example: Example
    expected: tuple[str, ...]

    @property
    def mended(self) -> Example:
        return Example(self.example.source, self.expected)


@dataclass
class Summary:
    """What learning the traces came to."""

    task: str  # a built-in task, or the file that the examples came from
    digest: str  # of examples and settings: tells whether training can be resumed
    examples: int  # distinct ones
    unsolved: list[Example] = field(default_factory=list)  # no trace follows the final rules
    memorised: list[Example] = field(default_factory=list)  # solved, but as a whole: they teach nothing about others
    contradictory: list[Example] = field(default_factory=list)  # left out: their source has a more frequent target
    suspicious: list[Suspect] = field(default_factory=list)  # left out: probably wrong
    composed: int = 0  # examples of several words
    composed_learned: int = 0  # ... that are neither unsolved nor memorised
    seconds: float = 0.0
    nodes: int = 0
    attempts: int = 0
    freedom: str = "paper"  # what the rules may use: one of LADDER, or words by patterns
    compared: dict[str, float] = field(default_factory=dict)  # nats of each freedom's best solution
    complete: bool = True  # False: the search was stopped, by Ctrl-C or by the time limit
    trained: bool = True  # False: the time limit ended the network's training
    agreement: float | None = None  # share of fresh inputs that the network answers as the rules do; None: not measured

    @property
    def solved(self) -> int:
        """Count the examples that the rules answer, those learned by heart included."""
        return self.examples - len(self.unsolved) - len(self.contradictory) - len(self.suspicious)

    @property
    def learned(self) -> int:
        """Count the examples that the rules answer from their parts."""
        return self.solved - len(self.memorised)

    @property
    def next_to_nothing(self) -> bool:
        """Tell whether so few examples of several words were learned that the rules are of hardly any use."""
        return not self.learned or self.composed_learned < _NEXT_TO_NOTHING * self.composed
