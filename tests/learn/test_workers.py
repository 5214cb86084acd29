"""Worker processes end with their training, and only they."""

import multiprocessing
import signal
import subprocess
import sys
import time
from itertools import product

import pytest

from ness.config import Config, LearnerConfig
from ness.data.example import Example, example_of
from ness.learn.learner import learn
from ness.learn.workers import workers

HOST = """
import os, sys, time
from ness.learn.workers import workers
def job(number):
    print(os.getpid(), flush=True)
    time.sleep(1000)
with workers(2, job) as pool:
    pool.map([1, 2])
"""


def double(number: int) -> int:
    return 2 * number


def test_results_come_in_the_order_of_the_jobs() -> None:
    with workers(2, double) as pool:
        assert pool.map(list(range(20))) == list(range(0, 40, 2))


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM])
def test_workers_end_when_their_parent_is_killed(sign: signal.Signals) -> None:
    host = subprocess.Popen([sys.executable, "-c", HOST], stdout=subprocess.PIPE, text=True)
    assert host.stdout
    assert len({host.stdout.readline() for _ in range(2)}) == 2
    host.send_signal(sign)
    assert host.wait() == -sign
    assert host.stdout.read() == ""  # ends once the last worker is gone, which holds the pipe too
    host.stdout.close()


def test_ending_a_training_leaves_other_children_alone() -> None:
    other = multiprocessing.Process(target=time.sleep, args=(1000,))
    other.start()
    try:
        with workers(2, double) as pool:
            pool.map([1, 2])
        assert multiprocessing.active_children() == [other]
    finally:
        other.kill()
        other.join()


def task(verbs: dict[str, str], often: dict[str, int]) -> list[Example]:
    return [example_of(f"{v}{o}", " ".join([t] * n)) for (v, t), (o, n) in product(verbs.items(), often.items())]


TASKS = [
    task({"walk": "WALK", "run": "RUN", "look": "LOOK"}, {"": 1, " twice": 2, " thrice": 3}),
    task({"va": "GO", "mira": "SEE", "salta": "HOP", "corre": "RACE"}, {"": 1, " dos": 2, " otra vez": 3}),
]


def test_trainings_that_take_turns_do_not_share_anything() -> None:
    """As two threads would: one learns between two lessons of the other."""
    config = Config(learner=LearnerConfig(workers=1))
    alone = learn(TASKS[0], config)

    def meanwhile(_: object) -> None:
        learn(TASKS[1], config)

    mixed = learn(TASKS[0], config, report=meanwhile)
    assert (mixed.traces, mixed.nodes) == (alone.traces, alone.nodes)
