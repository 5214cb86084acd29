"""The runner: what is reused, what runs again, what a failure does."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from fake_runs import WRITE, scripted

from commands import python
from ness.experiments import spec as spec_module
from ness.experiments.environment import machine
from ness.experiments.progress import in_words, what_is_left
from ness.experiments.runner import RECORD, Record, RunStatus, finished, run_all
from ness.experiments.spec import LSTM, NESS, RunSpec, TestSet, hash_files
from ness.experiments.summary import Results

SPECS = [RunSpec(NESS, "fewshot", seed, sets=(TestSet("test"),)) for seed in range(3)]
FINE = scripted(WRITE)
BROKEN = scripted("sys.exit('boom')")
SESSION = """
import sys
from pathlib import Path
from fake_runs import scripted
from ness.experiments.runner import run_all
from ness.experiments.spec import NESS, RunSpec
code = "import os, time; (folder / 'pid').write_text(str(os.getpid())); time.sleep(600)"
run_all([RunSpec(NESS, "fewshot", seed) for seed in range(3)], Path(sys.argv[1]), 2, scripted(code))
"""
FAILS_ONCE = scripted(f"print('warming up')\nif spec['seed'] == 1: raise ValueError('no luck')\n{WRITE}")


def test_all_runs_are_run_and_come_back_in_order(tmp_path: Path) -> None:
    records = run_all(SPECS, tmp_path, 2, FINE)
    assert [record.spec for record in records] == SPECS
    assert all(record.outcome and record.error is None and not record.reused for record in records)


def test_finished_runs_are_reused(tmp_path: Path) -> None:
    run_all(SPECS[:2], tmp_path, 1, FINE)
    records = run_all(SPECS, tmp_path, 1, BROKEN)
    assert [record.reused for record in records] == [True, True, False]
    assert [record.error is None for record in records] == [True, True, False]


def test_when_the_time_is_over_there_is_what_is_there(tmp_path: Path) -> None:
    run_all(SPECS[:1], tmp_path, 1, FINE)
    records = run_all(SPECS, tmp_path, 1, scripted("import time; time.sleep(600)"), minutes=0.01)
    assert [record.spec for record in records] == SPECS[:1]
    assert len(run_all(SPECS, tmp_path, 1, FINE)) == len(SPECS)


def test_other_settings_are_other_runs(tmp_path: Path) -> None:
    run_all(SPECS, tmp_path, 1, FINE)
    changed = replace(SPECS[0], settings=("search.nodes=10",))
    assert finished(changed, tmp_path) is None
    assert changed.folder != SPECS[0].folder
    assert finished(replace(SPECS[0], sets=(TestSet("test", 3),)), tmp_path) is None
    assert finished(replace(SPECS[0], expected=1.0), tmp_path) is not None, "a guess of the time changes no figure"


def test_other_code_makes_a_run_out_of_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    baseline = RunSpec(LSTM, "fewshot", 0)
    run_all([SPECS[0], baseline], tmp_path, 1, FINE)
    version = spec_module.code_version
    monkeypatch.setattr(spec_module, "code_version", lambda system: version(system) + "x" * (system == NESS))
    assert finished(SPECS[0], tmp_path) is None
    assert finished(baseline, tmp_path) is not None, "a baseline does not depend on the search"
    again = run_all([SPECS[0]], tmp_path, 1, FINE)
    assert not again[0].reused
    assert finished(SPECS[0], tmp_path) is not None


def test_a_failure_is_recorded_and_the_others_go_on(tmp_path: Path) -> None:
    records = run_all(SPECS, tmp_path, 1, FAILS_ONCE)
    assert [record.outcome is None for record in records] == [False, True, False]
    assert records[1].error == "ended with code 1: ValueError: no luck"
    assert "FAILED" in in_words(records[1])
    record = json.loads((tmp_path / SPECS[1].folder / RECORD).read_text())
    assert record["error"] == records[1].error
    assert "warming up" in (tmp_path / SPECS[1].folder / "log.txt").read_text()


def test_a_failed_run_is_tried_again(tmp_path: Path) -> None:
    run_all(SPECS, tmp_path, 1, FAILS_ONCE)
    records = run_all(SPECS, tmp_path, 1, FINE)
    assert [record.reused for record in records] == [True, False, True]
    assert records[1].outcome is not None


@pytest.mark.parametrize("code", ["pass", "(folder / 'outcome.json').write_text('{')"])
def test_a_run_without_figures_has_failed(tmp_path: Path, code: str) -> None:
    (record,) = run_all(SPECS[:1], tmp_path, 1, scripted(code))
    assert record.error is not None
    assert record.error.startswith("no figures")


def test_a_killed_run_has_failed(tmp_path: Path) -> None:
    (record,) = run_all(SPECS[:1], tmp_path, 1, scripted("import os; os.kill(os.getpid(), 9)"))
    assert record.error == "killed by signal 9"


@pytest.mark.parametrize("damage", ["", "[]", '{"error": null}'])
def test_a_damaged_record_is_run_again(tmp_path: Path, damage: str) -> None:
    run_all(SPECS[:1], tmp_path, 1, FINE)
    (tmp_path / SPECS[0].folder / RECORD).write_text(damage)
    assert finished(SPECS[0], tmp_path) is None
    assert not run_all(SPECS[:1], tmp_path, 1, FINE)[0].reused


def test_an_interrupted_session_keeps_what_is_finished_and_stops_what_runs(tmp_path: Path) -> None:
    def interrupt(status: RunStatus) -> None:
        if status.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_all(SPECS, tmp_path, 2, scripted(f"import time\nif spec['seed']: time.sleep(600)\n{WRITE}"), interrupt)
    assert [finished(spec, tmp_path) is not None for spec in SPECS] == [True, False, False]
    records = run_all(SPECS, tmp_path, 2, FINE)
    assert [record.reused for record in records] == [True, False, False]


def test_a_request_to_end_stops_what_runs(tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    session = subprocess.Popen([sys.executable, "-c", SESSION, tmp_path], env={**os.environ, "PYTHONPATH": path})
    try:
        while len(pids := [int(text) for one in tmp_path.glob("*/pid") if (text := one.read_text())]) < 2:
            assert session.poll() is None
            time.sleep(0.05)
        session.terminate()
        assert session.wait() == 128 + signal.SIGTERM
    finally:
        session.kill()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert len(list(tmp_path.glob("*/pid"))) == 2, "no further run was started"


def test_only_so_many_run_at_a_time(tmp_path: Path) -> None:
    seen: list[int] = []
    run_all(SPECS, tmp_path, 2, FINE, lambda status: seen.append(len(status.running)))
    assert max(seen) == 2


def test_a_run_has_one_thread_unless_the_user_says_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tell = scripted(f"import os; (folder / 'threads').write_text(os.environ['OMP_NUM_THREADS'])\n{WRITE}")
    for name, said in (("1", None), ("3", "3")):
        if said is None:
            monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        else:
            monkeypatch.setenv("OMP_NUM_THREADS", said)
        run_all(SPECS[:1], tmp_path / name, 1, tell)
        assert (tmp_path / name / SPECS[0].folder / "threads").read_text() == name


def test_the_time_left_follows_the_pace_so_far() -> None:
    slow = replace(SPECS[0], expected=10.0)
    status = RunStatus(
        3, waiting=[replace(SPECS[1], expected=100.0)], running=[replace(SPECS[2], expected=40.0)], jobs=2
    )
    assert status.seconds_left() == 60
    status.done.append(Record(slow, 30.0, {"sets": []}, None))
    assert status.seconds_left() == 180
    status.done.append(Record(slow, 9999.0, {"sets": []}, None, reused=True))
    assert status.seconds_left() == 180, "reused runs say nothing about the pace"
    assert what_is_left(status) == "2 left, about 3 min"


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
    (new,) = run_all(SPECS[:1], tmp_path, 1, FINE)
    (reused,) = run_all(SPECS[:1], tmp_path, 1, BROKEN)
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
    run_all(SPECS[:1], tmp_path, 1, FINE)
    monkeypatch.setattr(spec_module, "code_version", lambda system: "another")
    assert run_all(SPECS[:1], tmp_path, 1, BROKEN, any_code=True)[0].reused
    assert not run_all(SPECS[:1], tmp_path, 1, FINE)[0].reused


def test_a_spec_survives_json() -> None:
    spec = RunSpec(
        NESS, "cfg/while", 3, "soft", "paper", ("search.nodes=3",), (TestSet("train"), TestSet("test-10", 5))
    )
    assert RunSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


def test_runs_on_a_gpu_need_torch_and_nothing_else() -> None:
    blocked = ("rich", "typer", "click", "safetensors", "msgspec", "jinja2", "matplotlib")
    code = f"""
import sys
from ness.experiments.systems.registry import ENTRIES
for name in {blocked}:
    sys.modules[name] = None
import ness.experiments.batch, ness.experiments.work
for entry in ENTRIES:
    entry.load()
"""
    done = python(code)
    assert done.returncode == 0, done.stderr
