"""A time limit for work without a search that could be stopped in the middle: what runs past it is given up."""

import math
import time
from typing import NamedTuple


class OutOfTime(Exception):
    """The time limit has passed; what was begun came to nothing."""


class Deadline(NamedTuple):
    """A moment by the monotonic clock."""

    moment: float = math.inf

    def check(self) -> None:
        """Give up what is being done if the moment has passed."""
        if time.monotonic() > self.moment:
            raise OutOfTime


NEVER = Deadline()
