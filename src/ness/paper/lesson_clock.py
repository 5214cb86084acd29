"""How long a lesson searches."""

from ness.paper.progress import Loop

_SETS = 1 / 3  # of a lesson's time: then no more sets are begun, so that changes of the best get the rest
_UNSOLVED = 1 / 4  # of the time that is left for all lessons: so much a lesson may take while examples are unsolved


class LessonClock:
    """A lesson's share of the time that is left; with `loop.persist` it has more while examples are unsolved."""

    def __init__(self, loop: Loop) -> None:
        begun, self._loop, self._deadline = loop.seconds, loop, loop.deadline()
        self._sets = self._late = self._deadline
        self.unsolved = False  # whether the best rules leave examples of the working set unsolved
        if loop.config.loop.persist:
            self._sets = begun + (self._deadline - begun) * _SETS
            self._late = max(self._deadline, begun + (loop.config.learner.time_limit - begun) * _UNSOLVED)

    def over(self) -> bool:
        """Whether the lesson's time is used up."""
        return self._loop.seconds >= (self._late if self.unsolved else self._deadline)

    def sets_over(self) -> bool:
        """Whether no more sets are to be begun."""
        return self._loop.seconds >= self._sets
