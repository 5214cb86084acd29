"""Jobs in, results out, the same on every executor: order, errors, tries, reports."""

import pickle
import time
from pathlib import Path

import pytest
from work import double, numbered, refuse

from ness.errors import DataError
from ness.execute.in_process import InProcess
from ness.execute.jobs import Executor, Job, Say
from ness.execute.processes import Processes
from ness.execute.progress import JobsView
from ness.execute.session import JobEnd, JobStatus, RunningJob, complete, results

EXECUTORS: list[Executor] = [InProcess(), Processes(2)]
on_each = pytest.mark.parametrize("executor", EXECUTORS, ids=lambda executor: type(executor).__name__)


@on_each
def test_results_come_in_the_order_of_the_jobs(executor: Executor) -> None:
    with executor.pool(double) as pool:
        assert results(pool, numbered(20)) == list(range(0, 40, 2))
        assert results(pool, []) == []


@on_each
def test_an_error_of_a_job_is_raised_as_it_was(executor: Executor) -> None:
    with executor.pool(refuse) as pool, pytest.raises(DataError, match="no 0 here"):
        results(pool, numbered(2))


@on_each
def test_other_jobs_go_on_where_one_fails(executor: Executor) -> None:
    with executor.pool(halve) as pool:
        ended = sorted(complete(pool, numbered(4)), key=lambda one: one.number)
    assert [one.result for one in ended] == [0, None, 1, None]
    again = "" if isinstance(executor, InProcess) else "failed 3 times: "
    assert ended[1].why == f"{again}ValueError: 1 is odd"


def halve(number: int, say: Say) -> int:
    if number % 2:
        raise ValueError(f"{number} is odd\nand that is that")
    return number // 2


def test_an_error_on_purpose_is_not_tried_again() -> None:
    with Processes(1).pool(refuse) as pool:
        (ended,) = complete(pool, numbered(1))
    assert (ended.tries, ended.why) == (1, "no 0 here")


@on_each
def test_reports_tell_what_is_done_where(executor: Executor) -> None:
    seen: list[tuple[int, int, int]] = []
    said: set[str] = set()
    places: set[str] = set()

    def report(status: JobStatus) -> None:
        seen.append((len(status.waiting), len(status.running), len(status.ended)))
        said.update(one.said for one in status.running.values())
        places.update(one.where for one in status.running.values())

    with executor.pool(double) as pool:
        list(complete(pool, numbered(3), report, done_before=2))
    assert seen[0] == (3, 0, 0)
    assert seen[-1] == (0, 0, 3)
    assert max(running for _, running, _ in seen) <= 2


def test_a_job_tells_what_it_is_doing(tmp_path: Path) -> None:
    go_on = tmp_path / "go on"
    heard: list[tuple[str, str]] = []

    def report(status: JobStatus) -> None:
        for one in status.running.values():
            if one.said:
                heard.append((one.where.split()[0], one.said))
                go_on.touch()

    with Processes(1).pool(wait_for) as pool:
        list(complete(pool, [Job("waits", go_on)], report))
    assert ("process", "waiting") in heard


def wait_for(path: Path, say: Say) -> None:
    say("waiting")
    while not path.exists():
        time.sleep(0.01)


def test_when_the_deadline_has_passed_jobs_under_way_are_ended() -> None:
    with Processes(2).pool(sleep_for, apart=True) as pool:
        assert list(complete(pool, [Job("long", 600)] * 3, deadline=time.monotonic() + 0.5)) == []


def sleep_for(seconds: float, say: Say) -> None:
    time.sleep(seconds)


def test_the_time_left_follows_the_pace_so_far() -> None:
    status = JobStatus({1: Job("b", 0, expected=100.0)}, slots=2, done_before=1)
    status.running[2] = RunningJob(Job("c", 0, expected=40.0), 0.0, "here")
    assert status.seconds_left() == 60
    status.ended.append(JobEnd(0, Job("a", 0, expected=10.0), 30.0))
    assert status.seconds_left() == 180
    assert (status.total, status.left) == (4, 2)


def test_what_waits_for_a_place_is_told_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ness.execute.progress._QUIET", -1.0)
    status = JobStatus({})
    status.running = {number: RunningJob(Job(f"job {number}", 0), 0.0) for number in range(2)}
    status.running[1].said = "no node has 1 GPU"
    with JobsView() as view:
        view(status)
    assert capsys.readouterr().err == "… 2 handed over, waiting for a place: no node has 1 GPU\n"


def test_the_deadline_of_a_refit_is_the_same_moment_on_another_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    from ness.learn.fit import Hypothesis
    from ness.learn.judge import Refit

    here, wall = 1000.0, 5_000_000.0
    monkeypatch.setattr(time, "monotonic", lambda: here)
    monkeypatch.setattr(time, "time", lambda: wall)
    sent = pickle.dumps(Refit(Hypothesis(), 0, (), (), 0, 0, 0.0, False, {}, deadline=1030.0))
    here, wall = 70.0, 5_000_010.0  # another machine, ten seconds later
    assert pickle.loads(sent).deadline == 90.0
