"""Processes end with their pool or their parent, and only they; one that dies costs its own job only."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from work import Flaky, double, fail_oddly, numbered

from ness.errors import JobFailed
from ness.execute.jobs import Job
from ness.execute.processes import Processes
from ness.execute.session import complete, results

HOST = """
import os, sys, time
from ness.execute.jobs import Job
from ness.execute.processes import Processes
from ness.execute.session import results
def work(number, say):
    print(os.getpid(), flush=True)
    time.sleep(1000)
with Processes(2).pool(work) as pool:
    results(pool, [Job("one", 1), Job("two", 2)])
"""


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM])
def test_processes_end_when_their_parent_is_killed(sign: signal.Signals) -> None:
    host = subprocess.Popen([sys.executable, "-c", HOST], stdout=subprocess.PIPE, text=True)
    assert host.stdout
    assert len({host.stdout.readline() for _ in range(2)}) == 2
    host.send_signal(sign)
    assert host.wait() == -sign
    assert host.stdout.read() == ""  # ends once the last worker is gone, which holds the pipe too
    host.stdout.close()


def test_ending_a_pool_leaves_other_children_alone() -> None:
    other = multiprocessing.Process(target=time.sleep, args=(1000,))
    other.start()
    try:
        with Processes(2).pool(double) as pool:
            results(pool, numbered(2))
        assert multiprocessing.active_children() == [other]
    finally:
        other.kill()
        other.join()


def test_a_process_does_several_jobs_unless_they_are_to_be_apart() -> None:
    for apart, processes in ((False, 1), (True, 3)):
        with Processes(1).pool(process_of, apart=apart) as pool:
            assert len(set(results(pool, numbered(3)))) == processes


def process_of(number: int, say: object) -> int:
    return os.getpid()


def test_a_killed_process_costs_its_own_job_only_which_is_done_by_another(tmp_path: Path) -> None:
    with Processes(2).pool(Flaky(tmp_path, {3: 2})) as pool:
        ended = {one.number: one for one in complete(pool, numbered(6))}
    assert [ended[number].result for number in range(6)] == [0, 2, 4, 6, 8, 10]
    assert [ended[number].tries for number in range(6)] == [1, 1, 1, 3, 1, 1]


def test_a_job_that_is_lost_three_times_is_named(tmp_path: Path) -> None:
    with (
        Processes(2).pool(Flaky(tmp_path, {1: 3})) as pool,
        pytest.raises(JobFailed, match="job 1: failed 3 times: its process was killed by signal 9"),
    ):
        results(pool, numbered(3))


def test_a_process_that_dies_while_it_waits_is_replaced(tmp_path: Path) -> None:
    with Processes(1).pool(process_of) as pool:
        (first,) = results(pool, numbered(1))
        os.kill(first, signal.SIGKILL)
        (second,) = results(pool, numbered(1))
    assert second != first


def test_an_error_that_cannot_be_sent_is_told_in_words() -> None:
    with Processes(1).pool(fail_oddly) as pool, pytest.raises(RuntimeError, match="NeverSent: 7") as caught:
        results(pool, [Job("seven", 7)])
    assert "fail_oddly" in caught.value.__notes__[0], "the note says where it was raised"
