"""The searches of a batch, in this process or shared out among several; the network is asked in this one alone.

A worker runs its searches side by side and asks over a pipe; the questions of all workers become one pass. Costs depend
on what else is in a pass by rounding alone, so what is found does not depend on the number of workers but for that.
"""

import gc
import multiprocessing
import os
import random
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Protocol

from ness.config import SearchConfig
from ness.learn.coding import Sample
from ness.paper.known_rules import ExtractedRules
from ness.paper.moments import Moment
from ness.paper.prospects import Prospects
from ness.paper.questions import Answers, SearchQuestion
from ness.paper.sampling import SampledTrace, sampled_search, search_together

MOST = 8  # workers; with more, each has too few searches to be worth a round
SearchTask = tuple[Sample, int]  # and the seed of its draws


class Searcher(Protocol):
    """Searches many examples."""

    def search(self, policy: Answers, tasks: Sequence[SearchTask], ahead: int) -> list[SampledTrace]: ...


class SearchHere:
    """All searches in this process."""

    def __init__(self, config: SearchConfig, stages: Sequence[ExtractedRules]) -> None:
        self._config, self._stages = config, stages

    def search(self, policy: Answers, tasks: Sequence[SearchTask], ahead: int) -> list[SampledTrace]:
        """Search by one set of rules after the other."""
        stages = [Prospects(rules, self._config) for rules in self._stages]
        firsts = {sample: Moment(sample) for sample, _ in tasks}
        searches = [sampled_search(firsts[sample], stages, random.Random(seed)) for sample, seed in tasks]
        found = search_together(policy, searches, ahead)
        for moment in firsts.values():
            moment.forget()
        return found


class SearchWorkers:
    """Searches in several processes, which take seconds to start and so go on from lesson to lesson."""

    def __init__(self, workers: int) -> None:
        context = multiprocessing.get_context("spawn")  # a network on a GPU does not survive a fork
        pipes = [context.Pipe() for _ in range(workers)]
        self._processes = [context.Process(target=_work, args=(far,), daemon=True) for _, far in pipes]
        for process, (_, far) in zip(self._processes, pipes, strict=True):
            process.start()
            far.close()
        self._connections = [near for near, _ in pipes]

    def follow(self, here: SearchHere) -> None:
        """Tell all workers what rules to search by."""
        for connection in self._connections:
            connection.send(here)

    def close(self) -> None:
        """End the workers."""
        for process, connection in zip(self._processes, self._connections, strict=True):
            connection.close()
            process.terminate()
            process.join()

    def search(self, policy: Answers, tasks: Sequence[SearchTask], ahead: int) -> list[SampledTrace]:
        """Share out the searches, and answer all workers together until each has found its traces."""
        count = len(self._connections)
        for number, connection in enumerate(self._connections):
            connection.send((tasks[number::count], ahead // count))
        found: list[SampledTrace | None] = [None] * len(tasks)
        busy = dict(enumerate(self._connections))
        while busy:
            asked: list[tuple[Connection, list[SearchQuestion]]] = []
            for number, connection in list(busy.items()):
                done, message = connection.recv()
                if done:
                    found[number::count] = message
                    del busy[number]
                else:
                    asked.append((connection, message))
            answers = iter(policy.answer([question for _, questions in asked for question in questions]))
            for connection, questions in asked:
                connection.send([next(answers) for _ in questions])
        return [each for each in found if each is not None]


class _Asked:
    """The policy of a worker: the process that started it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def answer(self, questions: Sequence[SearchQuestion]) -> list[list[float]]:
        self._connection.send((False, list(questions)))
        answers: list[list[float]] = self._connection.recv()
        return answers


def _work(connection: Connection) -> None:
    """Search, by the rules that came last, until the other end of the pipe is closed."""
    gc.disable()  # there is nothing to collect (see `no_garbage_collection`)
    here = SearchHere(SearchConfig(), [ExtractedRules()])
    try:
        while True:
            message = connection.recv()
            if isinstance(message, SearchHere):
                here = message
            else:
                tasks, ahead = message
                connection.send((True, here.search(_Asked(connection), tasks, ahead)))
    except (OSError, EOFError, KeyboardInterrupt):
        return


def worker_count(wanted: int, device: str) -> int:
    """How many processes search: as many as wanted, else one beside a CPU and some beside a GPU."""
    if multiprocessing.current_process().daemon:
        return 1  # it may not have children
    if wanted:
        return wanted
    return min(MOST, os.cpu_count() or 1) if device == "cuda" else 1
