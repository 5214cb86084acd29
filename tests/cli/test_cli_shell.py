"""What all commands share: exit codes, one-line errors, version, completion, silence on closed pipes."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commands import NESS, python
from commands import ness_process as ness
from ness import __version__
from own_data import trained_run

# A command of our own, registered in the real app.
WITH_COMMAND = """
import sys, time
from ness.cli.main import app, main
from ness.errors import DataError

@app.command()
def probe() -> None:
    {body}

sys.argv = ["ness", "probe"]
main()
"""


def probe(body: str) -> subprocess.CompletedProcess[str]:
    return python(WITH_COMMAND.format(body=body))


def test_version() -> None:
    done = ness("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"ness {__version__}\n", "")


def test_help_names_every_command_and_its_purpose() -> None:
    done = ness("--help")
    assert done.returncode == 0
    for name, purpose in (
        ("tasks", "List the built-in tasks"),
        ("data", "Write the training and test sets"),
        ("train", "Learn a translator from examples"),
        ("eval", "Measure exact matches"),
        ("predict", "Translate; one answer a line"),
        ("trace", "Show the execution"),
        ("rules", "Show the categories and rules"),
        ("export", "Write a translator as one Python file"),
        ("run", "Execute a hand-written program"),
    ):
        assert re.search(rf"^. {name} +{purpose}", done.stdout, re.MULTILINE)


def test_python_m_ness_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "ness", "--version"], capture_output=True, text=True)
    assert done.stdout == f"ness {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("fly", "no such command 'fly'; see ness -h"),
        ("run", "missing argument 'PROGRAM'; see ness run -h"),
        ("run SHIFT a --fast", "no such option: --fast; see ness run -h"),
        ("train a b", "got unexpected extra argument(s) (b); see ness train -h"),
        ("train a --time-limit", "option '--time-limit' requires an argument; see ness -h"),
        ("train a --rules-only=no", "option '--rules-only' does not take a value; see ness -h"),
    ],
)
def test_wrong_usage_is_one_line_and_exits_with_2(arguments: str, message: str) -> None:
    done = ness(*arguments.split())
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {message}\n")


def test_nothing_asked_is_a_question_for_help() -> None:
    assert ness().stdout == ness("--help").stdout


def test_options_without_a_value_name_no_value_in_the_help() -> None:
    assert "bool" not in ness("train", "--help").stdout + ness("--help").stdout


def test_our_errors_are_one_line_and_exit_with_1() -> None:
    done = probe("raise DataError('line 3 is empty; remove it')")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "error: line 3 is empty; remove it\n")


def test_missing_files_and_full_disks_are_one_line() -> None:
    done = probe("open('/nowhere/data.tsv')")
    assert (done.returncode, done.stderr) == (1, "error: No such file or directory: /nowhere/data.tsv\n")
    done = probe("raise OSError(28, 'No space left on device')")
    assert (done.returncode, done.stderr) == (1, "error: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_stdout_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [NESS, "run", "SHIFT; REDUCE A; FINAL", "a"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (1, "error: No space left on device\n")


@pytest.mark.parametrize("lines", [1, 100_000])
def test_a_closed_pipe_is_quiet(lines: int) -> None:
    code = WITH_COMMAND.format(body=f"sys.stdin.read(); print('line\\n' * {lines})")
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    process.stdin.close()
    assert process.stderr.read() == ""
    assert process.wait() == 0
    process.stderr.close()


@pytest.mark.parametrize(
    ("closing", "printed"),
    [(">&-", ""), ("2>&-", "WALK\n"), ("<&-", "WALK\n"), ("<&- >&- 2>&-", "")],
)
def test_closed_streams_are_no_bug(closing: str, printed: str) -> None:
    shell = f'"$0" predict "$1" walk {closing} && "$0" predict "$1" {closing}'
    done = subprocess.run(
        ["sh", "-c", shell, NESS, trained_run()], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, printed, "")


def test_ctrl_c_exits_with_130_and_one_line() -> None:
    code = WITH_COMMAND.format(body="print('ready', flush=True); time.sleep(60)")
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, error = process.communicate()
    assert (process.returncode, error) == (130, "stopped\n")


def test_bugs_keep_their_traceback() -> None:
    done = probe("[].pop()")
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")
    assert done.stderr.endswith("IndexError: pop from empty list\n")


def test_shell_completion() -> None:
    done = ness(env={"_NESS_COMPLETE": "complete_bash", "COMP_WORDS": "ness exp", "COMP_CWORD": "1"})
    assert done.stdout.split() == ["export"]
    assert "--install-completion" in ness("--help").stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "import ness, ness.config, ness.errors, ness.machine, ness.rules, ness.data, ness.answer.trace_view",
        "import sys; sys.argv = ['ness', '--help']; from ness.cli.main import main; main()",
        "import sys; sys.argv = ['ness', 'tasks']; from ness.cli.main import main; main()",
        "import sys; sys.argv = ['ness', 'run', 'SHIFT; REDUCE A; FINAL', 'a']; from ness.cli.main import main; main()",
    ],
)
def test_torch_is_not_imported(code: str) -> None:
    report = "import atexit, sys; atexit.register(lambda: print('torch' in sys.modules, file=sys.stderr)); "
    done = python(report + code)
    assert done.returncode == 0
    assert done.stderr == "False\n"
