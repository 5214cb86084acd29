"""Choose where jobs are done, as a user says it."""

from collections.abc import Iterator
from contextlib import contextmanager

from ness.execute.in_process import InProcess
from ness.execute.jobs import Executor
from ness.execute.processes import Processes


@contextmanager
def chosen_executor(jobs: int | None, ray: str | None = None) -> Iterator[Executor]:
    """Be ready for so many jobs at a time, none: in this process; or for as many as a Ray cluster has room for.

    `ray` is the address of a cluster; an empty one stands for RAY_ADDRESS, or else a Ray of our own.
    """
    if ray is None:
        yield InProcess() if jobs == 0 else Processes(jobs or 1)
        return
    from ness.execute.cluster import ray_cluster

    with ray_cluster(ray, jobs or None) as cluster:
        yield cluster
