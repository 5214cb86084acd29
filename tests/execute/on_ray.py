"""A real Ray: three nodes, simulated on this machine. One is lost in the middle, the driver is killed, results stay.

`test_ray.py` runs this in a process of its own: Ray leaves threads behind, and a process with threads is not to be
copied, which other tests do.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from work import Flaky, double, fail_oddly, numbered, refuse

from fake_runs import without_times
from ness.config import Config, LearnerConfig
from ness.data.scan import commands
from ness.errors import ConfigError, DataError
from ness.execute.cluster import ray_cluster
from ness.execute.in_process import InProcess
from ness.execute.jobs import Job, Resources, Say
from ness.execute.session import complete, results
from ness.experiments.report import Context
from ness.experiments.results import results_json
from ness.experiments.runner import finished, run_all
from ness.experiments.spec import NESS, RunSpec
from ness.experiments.summary import Results
from ness.experiments.tables import tables_of
from ness.experiments.work import RunResult, RunWork
from ness.learn.learner import learn

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own warnings are not ours to mend

HERE = Path(__file__).parent
STORE = 80 * 2**20  # bytes, nearly the least that Ray takes
# A node that does not answer is soon given up; a busy machine is given more time than that by the tests themselves.
HEALTH = {"health_check_period_ms": 500, "health_check_timeout_ms": 5000, "health_check_failure_threshold": 3}
SPECS = [RunSpec(NESS, "fewshot", seed, rules_only=True) for seed in range(4)]


@pytest.fixture(scope="module", autouse=True)
def _environment() -> Iterator[None]:
    """Let nodes find the work of these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), *sys.path]))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.delenv("RAY_ADDRESS", raising=False)
        yield


@pytest.fixture(scope="module")
def cluster(_environment: None) -> Iterator[Any]:
    """Three nodes with a processor each; the first is where the driver is."""
    from ray.cluster_utils import Cluster

    made = Cluster()
    made.add_node(num_cpus=1, object_store_memory=STORE, include_dashboard=False, _system_config=HEALTH)
    for _ in range(2):
        made.add_node(num_cpus=1, object_store_memory=STORE)
    made.wait_for_nodes()
    yield made
    made.shutdown()


@pytest.fixture
def address(cluster: Any) -> str:
    return str(cluster.address)


def test_results_and_errors_are_as_on_any_executor(address: str, tmp_path: Path) -> None:
    with ray_cluster(address) as executor:
        with executor.pool(double) as pool:
            assert pool.slots == 3
            assert results(pool, numbered(20)) == list(range(0, 40, 2))
        with executor.pool(refuse) as pool, pytest.raises(DataError, match="no 0 here"):
            results(pool, numbered(1))
        with executor.pool(fail_oddly) as pool, pytest.raises(RuntimeError, match="NeverSent: 0"):
            results(pool, numbered(1))
        with executor.pool(Flaky(tmp_path, {1: 1, 2: 3})) as pool:
            ended = {one.number: one for one in complete(pool, numbered(4))}
    assert [ended[number].result for number in range(4)] == [0, 2, None, 6]
    assert ended[1].tries == 2
    assert ended[2].why.startswith("failed 3 times: its process or its node is gone")


def test_a_search_finds_the_same_on_ray(address: str) -> None:
    examples = [command for command in commands() if len(command.source) <= 3][:80]
    config = Config(machine="paper", learner=LearnerConfig(workers=1, attempts=2, passes=2, refits=2))
    here = learn(examples, config)
    with ray_cluster(address) as executor:
        there = learn(examples, config, executor=executor)
    assert (there.traces, there.nodes, there.table) == (here.traces, here.nodes, here.table)


def test_a_job_waits_for_a_node_that_has_what_it_takes(cluster: Any, address: str) -> None:
    jobs = [Job("on a GPU", 1, Resources(cpus=0.5, gpus=0.5)), Job("on a processor", 2)]
    said: set[str] = set()
    with ray_cluster(address) as executor, executor.pool(gpus_of) as pool:
        for one in complete(pool, jobs, lambda status: said.update(one.said for one in status.running.values())):
            if one.number == 1:
                assert one.result == []
                node = cluster.add_node(num_cpus=1, num_gpus=1, object_store_memory=STORE)
            else:
                assert one.result == [0]
    cluster.remove_node(node)
    assert "no node has 0.5 CPU and 0.5 GPU; it starts when one joins that has" in said


def gpus_of(number: int, say: Say) -> list[int]:
    import ray

    return [int(one) for one in ray.get_gpu_ids()]


@dataclass(frozen=True)
class HeldRuns:
    """Runs that note where they are and then wait to be let go."""

    folder: Path
    work: RunWork

    def __call__(self, spec: RunSpec, say: Say) -> RunResult:
        import ray

        (self.folder / f"{spec.seed} {ray.get_runtime_context().get_node_id()}").touch()
        while not (self.folder / "go").exists():
            time.sleep(0.05)
        return self.work(spec, say)


def test_a_node_lost_in_the_middle_of_a_reproduction_changes_nothing(
    cluster: Any, address: str, tmp_path: Path
) -> None:
    local = run_all(SPECS, tmp_path / "local", InProcess(), RunWork(tmp_path / "local"))
    lost = cluster.add_node(num_cpus=1, object_store_memory=STORE)
    notes, said = tmp_path / "notes", list[str]()
    notes.mkdir()

    def lose() -> None:
        while len(list(notes.iterdir())) < len(SPECS):  # one on each node
            time.sleep(0.05)
        cluster.remove_node(lost, allow_graceful=False)
        (notes / "go").touch()

    thread = threading.Thread(target=lose)
    with ray_cluster(address) as executor:
        thread.start()
        work = HeldRuns(notes, RunWork(None))
        far = run_all(SPECS, tmp_path / "far", executor, work, lambda status: said.extend(status.notes[len(said) :]))
        thread.join()
    where = {name.name.split()[0]: name.name.split()[1] for name in notes.glob("* *")}
    assert len(said) == 1, said
    assert "it is tried again" in said[0]
    assert len(list(notes.glob("* *"))) == len(SPECS) + 1, "one run was done twice, the others once"
    assert len(set(where.values())) <= 4
    assert as_results(far) == as_results(local)
    for spec in SPECS:
        files = [tmp_path / place / spec.folder / "model" / "rules.json" for place in ("local", "far")]
        assert files[0].read_bytes() == files[1].read_bytes()


def as_results(records: list[Any]) -> Any:
    """What results.json has, without what depends on the clock."""
    found = Results(records)
    shown = results_json(found, {"fewshot": tables_of("fewshot", found)}, Context("", {}, len(SPECS), False, "1"))
    assert len(shown["runs"]) == len(SPECS)
    assert all(run["error"] is None for run in shown["runs"])
    for table in (table for group in shown["tables"].values() for table in group):
        timed = [number for number, column in enumerate(table["columns"]) if column in ("train s", "test s")]
        table["rows"] = [[cell for number, cell in enumerate(row) if number not in timed] for row in table["rows"]]
    return without_times(shown)


DRIVER = """
import sys
from pathlib import Path
from fake_runs import Scripted
from ness.execute.cluster import ray_cluster
from ness.experiments.runner import run_all
from ness.experiments.spec import NESS, RunSpec
folder = Path(sys.argv[2])
code = "import time\\nwhile spec.seed > 1 and not (folder.parent / 'go').exists(): time.sleep(0.05)"
specs = [RunSpec(NESS, "fewshot", seed, rules_only=True) for seed in range(4)]
with ray_cluster(sys.argv[1]) as executor:
    records = run_all(specs, folder, executor, Scripted(folder, code))
print(sum(record.reused for record in records), sum(record.error is None for record in records))
"""


def test_a_killed_driver_goes_on_from_its_records(address: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", DRIVER, address, str(tmp_path)]
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while sum(finished(spec, tmp_path) is not None for spec in SPECS) < 2:
        assert driver.poll() is None
        time.sleep(0.05)
    driver.send_signal(signal.SIGKILL)
    driver.communicate()
    (tmp_path / "go").touch()
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.stdout == "2 4\n", again.stderr


def test_no_ray_at_an_address_is_told_in_a_line() -> None:
    with pytest.raises(ConfigError, match=r"there is no Ray at '127\.0\.0\.1:1'") as caught, ray_cluster("127.0.0.1:1"):
        pass
    assert "\n" not in str(caught.value)


def test_an_address_of_the_client_is_told_in_a_line() -> None:
    with pytest.raises(ConfigError, match="run the command on a node"), ray_cluster("ray://head:10001"):
        pass


ALONE = """
from work import double, numbered
from ness.execute.cluster import ray_cluster
from ness.execute.session import complete
with ray_cluster(jobs=2) as executor, executor.pool(double, apart=True) as pool:
    import ray
    places = {ray.get_runtime_context().gcs_address.rpartition(":")[0]}
    places |= {node["NodeManagerAddress"] for node in ray.nodes()}
    slots, done = pool.slots, sorted(one.result for one in complete(pool, numbered(3)))
print(places, slots, done, ray.is_initialized())
"""


def test_without_an_address_a_ray_is_started_that_is_not_open_to_the_network_and_stopped() -> None:
    """Its own process: Ray reads the setting when it is imported."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", ALONE], capture_output=True, text=True)
    assert done.stdout == "{'127.0.0.1'} 2 [0, 2, 4] False\n", done.stderr
