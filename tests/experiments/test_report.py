"""The real command on the few-shot task, and its report in a browser."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from commands import ness, python
from fake_runs import records
from ness.experiments import rivals
from ness.experiments.environment import version_of_code
from ness.experiments.experiments import TABLES, all_runs
from ness.experiments.report import Context, report_html
from ness.experiments.rivals import Scale
from ness.experiments.runner import Record
from ness.experiments.spec import LSTM, TRANSFORMER
from ness.experiments.summary import Results
from ness.experiments.tables import tables_of
from viewer_browser import chromium

ARGUMENTS = ("reproduce", "fewshot", "--quick", "--jobs", "2", "--out")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The few-shot table, made by the real command, with baselines of few steps."""
    out = tmp_path_factory.mktemp("reproduce")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(rivals._STEPS, "fewshot", {LSTM: (75, 0.01), TRANSFORMER: (75, 0.01)})
        check_made(out)
        yield out


def check_made(out: Path) -> None:
    done = ness(*ARGUMENTS, out, "--markdown", out / "results.md")
    assert done.returncode == 0, done.stderr
    assert "3 left" in done.stderr or "2 left" in done.stderr
    assert "NeSS, fewshot, seed 0: test 100%" in done.stderr
    assert "Few-shot learning of instructions" in done.stdout
    assert f"report: {out / 'report.html'}" in done.stdout


@pytest.mark.slow
def test_the_command_writes_everything(folder: Path) -> None:
    results = json.loads((folder / "results.json").read_text())
    by_system = {run["spec"]["system"]: run["outcome"] for run in results["runs"]}
    assert set(by_system) == {"ness", "lstm", "transformer"}
    assert by_system["ness"]["sets"][0]["exact"] == 1.0
    assert by_system["ness"]["categories"] == [["dax", "lug", "wif", "zup"]]
    assert results["context"]["version"]
    assert all(run["machine"]["Python"] for run in results["runs"])
    text = (folder / "results.md").read_text()
    assert "| **NeSS** | 100 | 100 | 100 | 100 |" in text
    assert "ness reproduce fewshot --quick" in text


@pytest.mark.slow
def test_a_second_time_everything_is_reused(folder: Path) -> None:
    done = ness(*ARGUMENTS, folder)
    assert done.returncode == 0
    assert done.stderr == "3 of 3 runs are there already\n"


def test_places_that_cannot_be_written_to_are_told_before_anything_is_run(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    taken = ness(*ARGUMENTS, file)
    assert (taken.returncode, taken.stderr) == (1, f"error: {file} is a file; choose a folder for runs and report\n")
    folder = ness(*ARGUMENTS, tmp_path / "new", "--markdown", tmp_path)
    assert (folder.returncode, folder.stderr) == (1, f"error: {tmp_path} is a folder; name a file for the tables\n")
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_what_there_was_no_time_for_is_named(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    done = ness("reproduce", "fewshot", "categories", *ARGUMENTS[2:], folder, "--minutes", "0", "--markdown", page)
    assert done.returncode == 0
    assert "not run, for want of time: " in " ".join(done.stdout.split())
    assert "## Not run" in page.read_text()


def test_tables_are_made_without_torch() -> None:
    code = "import sys; from ness.experiments import report, runner, tables; print('torch' in sys.modules)"
    assert python(code).stdout == "False\n"


def test_an_unknown_table_is_told(tmp_path: Path) -> None:
    done = ness("reproduce", "sacn", "--out", tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: there is no table 'sacn'; tables: scan, fewshot,")


def test_a_failed_run_is_shown_and_the_others_go_on(tmp_path: Path) -> None:
    done = ness("reproduce", "translation", "--quick", "--out", tmp_path, "--data", tmp_path)
    assert done.returncode == 1
    assert "FAILED" in done.stderr
    assert "holds no train.txt" in " ".join(done.stdout.split())
    assert "failed" in (tmp_path / "report.html").read_text()
    runs = json.loads((tmp_path / "results.json").read_text())["runs"]
    assert [run["outcome"] for run in runs] == [None] * 3


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


def opened(browser: Browser, path: Path, width: int, scheme: str) -> tuple[Page, list[str]]:
    """Open a page without any network; also what it complains about."""
    context = browser.new_context(
        viewport={"width": width, "height": 844},
        color_scheme=scheme,  # type: ignore[arg-type]
        offline=True,
    )
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if request.url.startswith("http") else None)
    page.goto(path.as_uri())
    return page, problems


@pytest.mark.slow
def test_the_report_shows_tables_and_steps_through_a_trace(browser: Browser, folder: Path) -> None:
    page, problems = opened(browser, folder / "report.html", 1200, "light")
    row = page.locator("#table-fewshot tr.ours")
    assert row.locator("td").all_inner_texts()[:4] == ["NeSS", "100", "100", "100"]
    assert page.locator("#plot-learning-lstm").count() == 0, "75 steps are one point, which is no curve"
    viewer = page.frame_locator("iframe")
    assert viewer.locator("#instruction").inner_text() == "SHIFT"
    before = viewer.locator("body").inner_text()
    viewer.locator("#forward").click()
    assert viewer.locator("body").inner_text() != before
    assert page.locator("dl").inner_text().count("Python") == 1
    assert problems == []
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_of_everything_fits_a_phone(browser: Browser, tmp_path: Path, scheme: str) -> None:
    made = records(all_runs(TABLES, Scale(2)), 0.97)
    made[0] = Record(made[0].spec, 1.0, None, "ended with code 1: <script>alert(1)</script>")
    results = Results(made)
    tables = {name: tables_of(name, results) for name in TABLES}
    commands = {name: f"ness reproduce {name}" for name in TABLES}
    context = Context("ness reproduce all", commands, 2, False, version_of_code())
    path = tmp_path / "report.html"
    path.write_text(report_html(results, tables, context), encoding="utf-8")
    page, problems = opened(browser, path, 390, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("section table").count() > len(TABLES)
    assert page.locator("svg.plot").count() >= 8
    colour = "return getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(f"(() => {{ {colour} }})()") == (
        "rgb(20, 22, 26)" if scheme == "dark" else "rgb(248, 247, 243)"
    )
    assert "ended with code 1: <script>alert(1)</script>" in page.locator("#failed-runs + section").inner_text()
    assert page.locator("#mistakes ~ section details").count() > 0
    assert problems == []
    page.context.close()
