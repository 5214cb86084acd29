"""Where jobs are done, as a user says it."""

from importlib.util import find_spec

import pytest

from commands import ness, ness_process
from ness.cli.where import resources_of, with_ray_address
from ness.execute.jobs import Job, Resources
from ness.execute.plan import plan_lines
from ness.experiments.spec import LSTM, NESS, RunSpec


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("sweep a.tsv --ray", "sweep a.tsv --ray="),
        ("sweep --ray a.tsv", "sweep --ray= a.tsv"),
        ("sweep --ray --jobs 2", "sweep --ray= --jobs 2"),
        ("sweep --ray 10.0.0.1:6379 a.tsv", "sweep --ray 10.0.0.1:6379 a.tsv"),
        ("sweep --ray auto", "sweep --ray auto"),
        ("sweep --ray=head:6379", "sweep --ray=head:6379"),
    ],
)
def test_an_address_may_follow(given: str, read: str) -> None:
    assert with_ray_address(given.split()) == read.split()


def test_networks_go_to_gpus_and_searches_to_processors() -> None:
    search, network = RunSpec(NESS, "fewshot", 0), RunSpec(LSTM, "fewshot", 0)
    assert resources_of(search, 2, "cuda", 0.25, 1.0) == Resources(2, 0.0, 2**30)
    assert resources_of(network, 2, "cuda", 0.25, 0.0) == Resources(1, 0.25, 0)
    assert resources_of(network, 2, "cuda", 0.0, 0.0).gpus == 1
    assert resources_of(network, 2, "cpu", 0.25, 0.0).gpus == 0
    assert resources_of(network, 2, "auto", 0.0, 0.0).gpus == 0


def test_a_plan_says_what_it_costs() -> None:
    jobs = [Job(f"{number}", number, Resources(1, 0.5), expected=3600) for number in range(20)]
    assert plan_lines(jobs, 5, 4) == [
        "25 runs: 5 are there already, 20 to do; nothing was started",
        "cost, as far as it can be guessed: 20.0 CPU hours, 10.0 GPU hours",
        "  1 at a time: about 20.0 h",
        "  4 at a time: about 5.0 h (as asked for)",
        "  10 at a time: about 2.0 h",
    ]
    assert plan_lines([], 5, 1) == ["5 runs: 5 are there already, 0 to do; nothing was started"]


@pytest.mark.parametrize("command", [["reproduce", "all"], ["compare", "scan/jump"]])
def test_a_dry_run_starts_nothing(command: list[str]) -> None:
    done = ness(*command, "--out", "never", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "0 are there already" in done.stdout


@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'ness-machine[ray]'")
def test_no_ray_at_an_address_is_one_line() -> None:
    done = ness_process("reproduce", "fewshot", "--out", "never", "--ray", "127.0.0.1:1")
    assert done.returncode == 1
    assert done.stderr.startswith("error: there is no Ray at '127.0.0.1:1'")
    assert done.stderr.count("\n") == 1
