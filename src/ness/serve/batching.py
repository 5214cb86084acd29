"""Concurrent requests answered together: what arrives while a model works waits and is then one batch."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

Kind = TypeVar("Kind")
Input = TypeVar("Input")
Output = TypeVar("Output")
_MOST = 1_000  # inputs of a batch; a request is never cut


class Batcher(Generic[Kind, Input, Output]):
    """Calls a function with the inputs of all waiting requests of one kind, one batch at a time.

    In a thread of its own, or, where a batch `is_quick`, at once: a change of threads takes longer than a short input.
    """

    def __init__(
        self,
        work: Callable[[Kind, list[Input]], list[Output]],
        is_quick: Callable[[Kind, list[Input]], bool] = lambda kind, inputs: False,
        note_size: Callable[[int], None] = lambda _: None,
        name: str = "",
    ) -> None:
        self._work = work
        self._is_quick = is_quick
        self._calls = 0  # in the thread now
        self._note_size = note_size
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"ness-{name}")
        self._waiting: list[tuple[Kind, Sequence[Input], asyncio.Future[list[Output]]]] = []
        self._task: asyncio.Task[None] | None = None

    async def ask(self, kind: Kind, inputs: Sequence[Input]) -> list[Output]:
        """Return an output for each input; a caller that gives up before its turn costs nothing."""
        answered: asyncio.Future[list[Output]] = asyncio.get_running_loop().create_future()
        self._waiting.append((kind, inputs, answered))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work_off())
        return await answered

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run something else in the same thread, between two batches."""
        self._calls += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)
        finally:
            self._calls -= 1

    def close(self) -> None:
        """Let the thread end after what it does now."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _work_off(self) -> None:
        while self._waiting:
            kind, batch = self._next_batch()
            if batch:
                await self._answer(kind, batch)

    def _next_batch(self) -> tuple[Kind, list[tuple[Sequence[Input], asyncio.Future[list[Output]]]]]:
        """Take the waiting requests of the first one's kind."""
        kind = self._waiting[0][0]
        batch: list[tuple[Sequence[Input], asyncio.Future[list[Output]]]] = []
        rest, size = [], 0
        for request in self._waiting:
            wanted, inputs, answered = request
            if answered.done():
                continue
            if wanted == kind and (not batch or size + len(inputs) <= _MOST):
                batch.append((inputs, answered))
                size += len(inputs)
            else:
                rest.append(request)
        self._waiting = rest
        return kind, batch

    async def _answer(self, kind: Kind, batch: list[tuple[Sequence[Input], asyncio.Future[list[Output]]]]) -> None:
        inputs = [each for wanted, _ in batch for each in wanted]
        self._note_size(len(inputs))
        try:
            if self._calls == 0 and self._is_quick(kind, inputs):
                outputs = self._work(kind, inputs)
            else:
                outputs = await self.call(self._work, kind, inputs)
        except Exception as error:
            for _, answered in batch:
                if not answered.done():
                    answered.set_exception(error)
            return
        start = 0
        for wanted, answered in batch:
            end = start + len(wanted)
            if not answered.done():
                answered.set_result(outputs[start:end])
            start = end
