"""The searches of a batch, in this process or shared out among several, each of which asks a policy of its own.

What is found depends on the number of processes by rounding alone: costs depend on what else is asked with them.
"""

import gc
import multiprocessing
import os
import random
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection

from ness.config import SearchConfig
from ness.learn.coding import Sample
from ness.paper.known_rules import ExtractedRules
from ness.paper.moments import Moment
from ness.paper.prospects import Prospects
from ness.paper.questions import Answers
from ness.paper.sampling import SampledTrace, sampled_search, search_together

MOST = 12  # workers; with more, each has few searches that could share what they ask
SearchTask = tuple[Sample, int]  # and the seed of its draws


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

    def __init__(self, workers: int, policy: Callable[[], Answers]) -> None:
        context = multiprocessing.get_context("spawn")  # a network on a GPU does not survive a fork
        pipes = [context.Pipe() for _ in range(workers)]
        self._processes = [context.Process(target=_work, args=(far, policy), daemon=True) for _, far in pipes]
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

    def search(self, tasks: Sequence[SearchTask], ahead: int) -> list[SampledTrace]:
        """Share out the searches; each worker asks for the policy anew."""
        count = len(self._connections)
        for number, connection in enumerate(self._connections):
            connection.send((tasks[number::count], ahead))
        found: list[SampledTrace | None] = [None] * len(tasks)
        for number, connection in enumerate(self._connections):
            found[number::count] = connection.recv()
        return [each for each in found if each is not None]


def _work(connection: Connection, policy: Callable[[], Answers]) -> None:
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
                connection.send(here.search(policy(), tasks, ahead))
    except (OSError, EOFError, KeyboardInterrupt):
        return


def worker_count(wanted: int, device: str) -> int:
    """How many processes search: as many as wanted, else one beside a CPU and some beside a GPU."""
    if multiprocessing.current_process().daemon:
        return 1  # it may not have children
    if wanted:
        return wanted
    return max(1, min(MOST, (os.cpu_count() or 1) - 1)) if device == "cuda" else 1
