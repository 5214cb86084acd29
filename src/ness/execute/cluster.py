"""Jobs on a Ray cluster: one that is there already, or one on this machine for as long as it is needed.

The work, with all the data that its jobs share, goes to the object store once; each process fetches it for its first
job. A job goes with its payload alone, to a node that has the resources for it; its result comes back as a value.
Ray does not try again by itself: what is lost with a node is handed over anew (`ness.execute.session`).
"""

import hashlib
import logging
import os
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from typing import Any

from ness.errors import ConfigError, MissingDependency
from ness.execute.jobs import Done, Event, Failed, Job, JobLost, Resources, Said, Started, Work, silent
from ness.execute.processes import portable

LOCAL = "local"  # the address of a Ray that is started for this process alone
_NO_NETWORK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # 0: Ray listens on 127.0.0.1 alone, whatever the system
_STORE = 256 * 2**20  # bytes of the object store of a local Ray: what jobs share and results
_LOOK = 1.0  # seconds between two looks at what jobs say and at the size of the cluster
_PATIENCE = 30.0  # seconds for an answer from the board, which may be lost with its node


@contextmanager
def ray_cluster(address: str = "", jobs: int | None = None) -> Iterator["RayCluster"]:
    """Connect to a cluster: the one at an address, that of RAY_ADDRESS, or else one started here."""
    wanted = address or os.environ.get("RAY_ADDRESS") or LOCAL
    if wanted.startswith("ray://"):
        raise ConfigError(f"'{wanted}' is for Ray's client; run the command on a node, with --ray HOST:6379 or auto")
    if wanted == LOCAL:  # before Ray is imported: else everybody in the network could use it, and so this machine
        os.environ.setdefault(_NO_NETWORK, "0")
    try:
        import ray
    except ImportError:
        raise MissingDependency("--ray needs Ray, which is not installed; pip install 'ness-machine[ray]'") from None
    if ray.is_initialized():  # by the program that this is part of
        yield RayCluster(jobs)
        return
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    own = {"num_cpus": jobs, "include_dashboard": False, "object_store_memory": _STORE, "_node_ip_address": "127.0.0.1"}
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):  # Ray prints pages there when a node dies
        try:
            _knock(wanted)
            ray.init(address=wanted, **quiet, **(own if wanted == LOCAL else {}))
        except (RuntimeError, ValueError, OSError) as error:
            told = str(error).partition("\n")[0]
            raise ConfigError(
                f"there is no Ray at '{wanted}' ({told}); start one with `ray start --head`, or use --ray alone"
            ) from None
        try:
            yield RayCluster(jobs)
        finally:
            ray.shutdown()


def _knock(address: str) -> None:
    """Raise an error where nobody listens at HOST:PORT: Ray would go on trying for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), _PATIENCE).close()


class RayCluster:
    """Does jobs on all nodes, as many at a time as have room, or as `jobs` says."""

    same_files = False

    def __init__(self, jobs: int | None = None) -> None:
        self._jobs = jobs

    @contextmanager
    def pool(self, work: Work[Any, Any], *, apart: bool = False) -> Iterator["RayPool"]:
        """Be ready for jobs; those under way are cancelled where the block is left."""
        pool = RayPool(work, apart, self._jobs)
        try:
            yield pool
        finally:
            pool.close()


class RayPool:
    """Hands jobs to Ray and asks what has become of them."""

    tries = 3

    def __init__(self, work: Work[Any, Any], apart: bool, jobs: int | None) -> None:
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        self._ray = ray
        self._jobs = jobs
        self._work = ray.put(work)
        self._task = ray.remote(max_retries=0, max_calls=1 if apart else 0)(_do)
        self._numbers: dict[Any, int] = {}  # by the reference to a result
        self._nodes: list[dict[str, float]] = []  # what each node has
        self._news: list[Event] = []
        self._looked = -_LOOK
        self._board: Any = None
        if apart:  # jobs long enough to be watched
            here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
            self._board = ray.remote(num_cpus=0, scheduling_strategy=here)(_Board).remote()

    @property
    def slots(self) -> int:
        self._look()
        return self._jobs or max(1, int(sum(node.get("CPU", 0) for node in self._nodes)))

    def has_room(self) -> bool:
        # A few more than there is room for: the next ones are then at hand.
        return len(self._numbers) < (self._jobs or 2 * self.slots)

    def start(self, number: int, job: Job) -> None:
        wanted = job.resources
        task = self._task.options(
            name=job.name, num_cpus=wanted.cpus, num_gpus=wanted.gpus, memory=wanted.memory or None
        )
        # In a list, so that Ray does not fetch the work for every job.
        reference = task.remote([self._work], job.payload, number, self._board, code_version())
        self._numbers[reference] = number
        needs = {"CPU": wanted.cpus, "GPU": wanted.gpus, "memory": wanted.memory}
        if not any(all(node.get(name, 0) >= amount for name, amount in needs.items()) for node in self._nodes):
            self._news.append(Said(number, f"no node has {_in_words(wanted)}; it starts when one joins that has"))

    def events(self, seconds: float) -> Iterable[Event]:
        news, self._news = self._news, []
        yield from news
        ended, _ = self._ray.wait(list(self._numbers), num_returns=1, timeout=min(seconds, _LOOK))
        if ended:
            ended, _ = self._ray.wait(list(self._numbers), num_returns=len(self._numbers), timeout=0)
        if self._look() and self._board is not None:
            yield from self._heard()
        for reference in ended:
            yield self._ended(reference, self._numbers.pop(reference))

    def _look(self) -> bool:
        """See what the nodes have, now and then; whether it was time for it."""
        if time.perf_counter() - self._looked < _LOOK:
            return False
        self._looked = time.perf_counter()
        self._nodes = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        return True

    def _heard(self) -> Iterator[Event]:
        with suppress(self._ray.exceptions.RayError):
            for event in self._ray.get(self._board.read.remote(), timeout=_PATIENCE):
                if event.number in self._numbers.values():
                    yield event

    def _ended(self, reference: Any, number: int) -> Event:
        try:
            kind, value = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            return Failed(number, ConfigError(f"a node cannot do jobs of NeSS: {str(error).splitlines()[-1]}"))
        except self._ray.exceptions.RayError as error:
            return Failed(number, JobLost(f"its process or its node is gone ({type(error).__name__})"))
        event: Event = kind(number, value)
        return event

    def close(self) -> None:
        """Cancel what is under way: nobody waits for results any more."""
        for reference in self._numbers:
            self._ray.cancel(reference, force=True)
        if self._board is not None:
            self._ray.kill(self._board)


def _in_words(wanted: Resources) -> str:
    amounts = {"CPU": wanted.cpus, "GPU": wanted.gpus, "GB of memory": wanted.memory / 2**30}
    return " and ".join(f"{amount:g} {name}" for name, amount in amounts.items() if amount)


class _Board:
    """Lives beside the driver; jobs put up what they are doing."""

    def __init__(self) -> None:
        self._news: list[Event] = []

    def put(self, event: Event) -> None:
        self._news.append(event)

    def read(self) -> list[Event]:
        """Return what is new."""
        news, self._news = self._news, []
        return news


def _do(work: list[Any], payload: Any, number: int, board: Any, code: str) -> tuple[type[Event], Any]:
    """Do a job, in a process of Ray's; return how it ended as a value, so that only losses are errors of Ray's."""
    say = silent
    if board is not None:
        import ray

        node = ray.get_runtime_context().get_node_id()[:6]
        board.put.remote(Started(number, f"node {node} at {ray.util.get_node_ip_address()}"))
        say = lambda text: board.put.remote(Said(number, text))  # noqa: E731
    try:
        if code != code_version():
            raise ConfigError("a node has another version of NeSS; install the same one on all nodes")
        return Done, _held(work[0])(payload, say)
    except Exception as error:
        return Failed, portable(error)


_kept: list[tuple[Any, Work[Any, Any]]] = []  # in a process of Ray's: the work that it did last


def _held(reference: Any) -> Work[Any, Any]:
    """Fetch the work from the object store, once in each process."""
    if not _kept or _kept[0][0] != reference:
        import ray

        _kept[:] = [(reference, ray.get(reference))]
    return _kept[0][1]


@cache
def code_version() -> str:
    """Return a checksum of the package, so that results cannot come from other code than here."""
    found = hashlib.sha256()
    root = Path(__file__).parents[1]
    for path in sorted(root.rglob("*.py")):
        found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()
