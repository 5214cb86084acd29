"""The runner: what is reused, what runs again, what a failure does."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from commands import python
from fake_runs import Scripted, without_times
from ness.execute.in_process import InProcess
from ness.execute.jobs import Executor
from ness.execute.processes import Processes
from ness.execute.session import JobStatus, Report
from ness.experiments import spec as spec_module
from ness.experiments.batch import chosen_runs
from ness.experiments.environment import machine
from ness.experiments.runner import RECORD, Record, finished, in_words, run_all
from ness.experiments.spec import LSTM, NESS, RunSpec, TestSet, hash_files
from ness.experiments.summary import Results
from ness.experiments.work import RunWork

SPECS = [RunSpec(NESS, "fewshot", seed, sets=(TestSet("test"),)) for seed in range(3)]
BROKEN = "raise SystemError('boom')"
SESSION = """
import sys
from pathlib import Path
from fake_runs import Scripted, without_times
from ness.execute.processes import Processes
from ness.experiments.runner import run_all
from ness.experiments.spec import NESS, RunSpec
folder = Path(sys.argv[1])
code = "import os, time; (folder / 'pid').write_text(str(os.getpid())); time.sleep(600)"
run_all([RunSpec(NESS, "fewshot", seed) for seed in range(3)], folder, Processes(2), Scripted(folder, code))
"""
FAILS_ONCE = "if spec.seed == 1: raise ValueError('no luck')"


def run(
    specs: list[RunSpec],
    folder: Path,
    code: str = "",
    executor: Executor | None = None,
    report: Report = lambda _: None,
    minutes: float = math.inf,
    any_code: bool = False,
) -> list[Record]:
    """Run specs by a script; in this process, which is fastest, unless told otherwise."""
    return run_all(specs, folder, executor or InProcess(), Scripted(folder, code), report, minutes, any_code)


def test_all_runs_are_run_and_come_back_in_order(tmp_path: Path) -> None:
    records = run(SPECS, tmp_path, executor=Processes(2))
    assert [record.spec for record in records] == SPECS
    assert all(record.outcome and record.error is None and not record.reused for record in records)


def test_finished_runs_are_reused(tmp_path: Path) -> None:
    run(SPECS[:2], tmp_path)
    records = run(SPECS, tmp_path, BROKEN)
    assert [record.reused for record in records] == [True, True, False]
    assert [record.error is None for record in records] == [True, True, False]


def test_when_the_time_is_over_there_is_what_is_there(tmp_path: Path) -> None:
    run(SPECS[:1], tmp_path)
    records = run(SPECS, tmp_path, "import time; time.sleep(600)", Processes(1), minutes=0.01)
    assert [record.spec for record in records] == SPECS[:1]
    assert len(run(SPECS, tmp_path)) == len(SPECS)


def test_other_settings_are_other_runs(tmp_path: Path) -> None:
    run(SPECS, tmp_path)
    changed = replace(SPECS[0], settings=("search.nodes=10",))
    assert finished(changed, tmp_path) is None
    assert changed.folder != SPECS[0].folder
    assert finished(replace(SPECS[0], sets=(TestSet("test", 3),)), tmp_path) is None
    assert finished(replace(SPECS[0], expected=1.0), tmp_path) is not None, "a guess of the time changes no figure"


def test_other_code_makes_a_run_out_of_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    baseline = RunSpec(LSTM, "fewshot", 0)
    run([SPECS[0], baseline], tmp_path)
    version = spec_module.code_version
    monkeypatch.setattr(spec_module, "code_version", lambda system: version(system) + "x" * (system == NESS))
    assert finished(SPECS[0], tmp_path) is None
    assert finished(baseline, tmp_path) is not None, "a baseline does not depend on the search"
    again = run([SPECS[0]], tmp_path)
    assert not again[0].reused
    assert finished(SPECS[0], tmp_path) is not None


def test_a_failure_is_recorded_and_the_others_go_on(tmp_path: Path) -> None:
    records = run(SPECS, tmp_path, FAILS_ONCE)
    assert [record.outcome is None for record in records] == [False, True, False]
    assert records[1].error == "ValueError: no luck"
    assert "FAILED" in in_words(records[1])
    record = json.loads((tmp_path / SPECS[1].folder / RECORD).read_text())
    assert record["error"] == records[1].error


def test_a_failed_run_is_tried_again(tmp_path: Path) -> None:
    run(SPECS, tmp_path, FAILS_ONCE)
    records = run(SPECS, tmp_path)
    assert [record.reused for record in records] == [True, False, True]
    assert records[1].outcome is not None


def test_a_killed_run_has_failed_after_three_tries(tmp_path: Path) -> None:
    code = "import os; (folder / 'tries').open('a').write('x'); os.kill(os.getpid(), 9)"
    (record,) = run(SPECS[:1], tmp_path, code, Processes(1))
    assert record.error == "failed 3 times: its process was killed by signal 9"
    assert (tmp_path / SPECS[0].folder / "tries").read_text() == "xxx"


def test_a_run_that_was_killed_once_is_run_again(tmp_path: Path) -> None:
    code = (
        "import os; tried = (folder / 'tried').exists(); (folder / 'tried').touch(); tried or os.kill(os.getpid(), 9)"
    )
    notes: list[str] = []
    (record,) = run(SPECS[:1], tmp_path, code, Processes(1), lambda status: notes.extend(status.notes))
    assert record.outcome is not None
    assert "killed by signal 9; it is tried again" in notes[0]


@pytest.mark.parametrize("damage", ["", "[]", '{"error": null}'])
def test_a_damaged_record_is_run_again(tmp_path: Path, damage: str) -> None:
    run(SPECS[:1], tmp_path)
    (tmp_path / SPECS[0].folder / RECORD).write_text(damage)
    assert finished(SPECS[0], tmp_path) is None
    assert not run(SPECS[:1], tmp_path)[0].reused


def test_an_interrupted_session_keeps_what_is_finished_and_stops_what_runs(tmp_path: Path) -> None:
    def interrupt(status: JobStatus) -> None:
        if status.ended:
            raise KeyboardInterrupt

    code = "import time\nif spec.seed: time.sleep(600)"
    with pytest.raises(KeyboardInterrupt):
        run(SPECS, tmp_path, code, Processes(2), interrupt)
    assert [finished(spec, tmp_path) is not None for spec in SPECS] == [True, False, False]
    records = run(SPECS, tmp_path)
    assert [record.reused for record in records] == [True, False, False]


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
def test_runs_end_with_their_session(tmp_path: Path, sign: signal.Signals) -> None:
    path = os.pathsep.join(sys.path)
    session = subprocess.Popen([sys.executable, "-c", SESSION, tmp_path], env={**os.environ, "PYTHONPATH": path})
    try:
        while len(pids := [int(text) for one in tmp_path.glob("*/pid") if (text := one.read_text())]) < 2:
            assert session.poll() is None
            time.sleep(0.05)
    finally:
        session.send_signal(sign)
    assert session.wait() == -sign
    while any(Path(f"/proc/{pid}").exists() for pid in pids):  # ends soon, however busy the machine is
        time.sleep(0.05)
    assert len(list(tmp_path.glob("*/pid"))) == 2, "no further run was started"


def test_only_so_many_run_at_a_time(tmp_path: Path) -> None:
    seen: list[int] = []
    run(SPECS, tmp_path, executor=Processes(2), report=lambda status: seen.append(len(status.running)))
    assert max(seen) <= 2


@pytest.mark.parametrize(("said", "threads"), [(None, "1"), ("3", "3")])
def test_a_run_has_one_thread_unless_the_user_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, said: str | None, threads: str
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if said is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", said)
    assert RunWork(None).environment["OMP_NUM_THREADS"] == threads


@pytest.mark.slow
def test_a_run_is_the_same_wherever_it_is_done(tmp_path: Path) -> None:
    """In this process, in another one, and as on a machine with other files: outcome and model, byte for byte."""
    spec = replace(SPECS[0], rules_only=True)
    models, outcomes = [], []
    for name, executor, seen in (
        ("here", InProcess(), True),
        ("apart", Processes(1), True),
        ("far", InProcess(), False),
    ):
        folder = tmp_path / name
        (record,) = run_all([spec], folder, executor, RunWork(folder if seen else None))
        assert record.error is None, record.error
        place = folder / spec.folder
        assert {"log.txt", "model", "outcome.json", "record.json", "spec.json"} == {one.name for one in place.iterdir()}
        models.append((place / "model" / "rules.json").read_bytes())
        outcomes.append(without_times(record.outcome))
    assert models[0] == models[1] == models[2]
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_the_log_has_where_a_run_failed(tmp_path: Path) -> None:
    spec = replace(SPECS[0], task="scan/none")
    (record,) = run_all([spec], tmp_path, InProcess(), RunWork(tmp_path))
    assert record.error is not None
    assert "scan/none" in record.error
    assert "Traceback" in (tmp_path / spec.folder / "log.txt").read_text()


def test_a_hash_sees_names_and_contents_but_no_compiled_code(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "one.py").write_text("1")
    before = hash_files(tmp_path, ["part"])
    (tmp_path / "part" / "__pycache__").mkdir()
    (tmp_path / "part" / "__pycache__" / "one.pyc").write_text("1")
    assert hash_files(tmp_path, ["part"]) == before
    (tmp_path / "part" / "one.py").rename(tmp_path / "part" / "two.py")
    renamed = hash_files(tmp_path, ["part"])
    (tmp_path / "part" / "two.py").write_text("2")
    assert len({before, renamed, hash_files(tmp_path, ["part"])}) == 3


def test_a_hash_leaves_folders_out(tmp_path: Path) -> None:
    (tmp_path / "part" / "unused").mkdir(parents=True)
    (tmp_path / "part" / "one.py").write_text("1")
    before = hash_files(tmp_path, ["part"], ["part/unused"])
    (tmp_path / "part" / "unused" / "two.py").write_text("2")
    assert hash_files(tmp_path, ["part"], ["part/unused"]) == before != hash_files(tmp_path, ["part"])


def test_a_record_says_where_it_was_measured(tmp_path: Path) -> None:
    (new,) = run(SPECS[:1], tmp_path)
    (reused,) = run(SPECS[:1], tmp_path, BROKEN)
    assert new.machine == reused.machine == machine()
    assert {"Python", "torch", "processor", "cores"} <= new.machine.keys()
    elsewhere = replace(new, machine=machine() | {"cores": "1000"})
    assert [place.split(":")[0] for place in Results([new, reused, elsewhere]).machines] == ["2 runs", "1 run"]


@pytest.mark.parametrize("system", [NESS, LSTM])
def test_every_part_of_the_code_version_exists(system: str) -> None:
    missing = [part for part in spec_module.code_of(system) if not (spec_module.PACKAGE / part).exists()]
    assert missing == []


def test_a_system_depends_on_what_it_imports_and_on_no_other_system() -> None:
    parts = spec_module.code_of("geca")
    assert {f"experiments/systems/{name}.py" for name in ("geca", "lstm", "neural", "interface")} <= set(parts)
    assert "experiments/systems/cnn.py" not in parts


def test_runs_of_other_code_are_reused_where_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(SPECS[:1], tmp_path)
    monkeypatch.setattr(spec_module, "code_version", lambda system: "another")
    assert run(SPECS[:1], tmp_path, BROKEN, any_code=True)[0].reused
    assert not run(SPECS[:1], tmp_path)[0].reused


def test_a_spec_survives_json() -> None:
    spec = RunSpec(
        NESS, "cfg/while", 3, "soft", "paper", ("search.nodes=3",), (TestSet("train"), TestSet("test-10", 5))
    )
    assert RunSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


@pytest.mark.slow
def test_runs_on_a_gpu_need_torch_and_nothing_else() -> None:
    blocked = ("rich", "typer", "click", "safetensors", "msgspec", "jinja2", "matplotlib")
    code = f"""
import sys
from ness.experiments.systems.registry import ENTRIES
for name in {blocked}:
    sys.modules[name] = None
import ness.execute.progress, ness.experiments.batch, ness.experiments.work
for entry in ENTRIES:
    entry.load()
"""
    done = python(code)
    assert done.returncode == 0, done.stderr


def test_a_batch_takes_what_is_named_in_the_order_named() -> None:
    std = "cfg/while:std-10"
    runs = [RunSpec(LSTM, task, seed) for task in ("scan/jump", std, "fewshot") for seed in range(2)]
    named = chosen_runs(runs, [(LSTM, std), (LSTM, "scan/jump")], [])
    assert [(run.task, run.seed) for run in named] == [(std, 0), (std, 1), ("scan/jump", 0), ("scan/jump", 1)]
    assert {run.task for run in chosen_runs(runs, [], [(LSTM, std)])} == {"scan/jump", "fewshot"}
