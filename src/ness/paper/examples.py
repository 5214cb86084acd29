"""The batch that was just searched, as the examples of a training step."""

from collections.abc import Iterator

from ness.network.batches import Batch


class SearchedExamples:
    """One batch, replaced after each search."""

    def __init__(self) -> None:
        self.current: Batch | None = None

    def batch(self, step: int) -> Batch:
        assert self.current is not None
        return self.current

    def all(self) -> Iterator[Batch]:
        assert self.current is not None
        yield self.current
