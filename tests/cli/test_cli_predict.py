"""`ness predict`: one answer a line, in order, whatever comes."""

import json
import subprocess

import pytest

from commands import NESS, ness
from own_data import trained_run


def test_arguments_and_standard_input_give_the_same() -> None:
    done = ness("predict", trained_run(), "jump twice", "walk")
    assert (done.returncode, done.stdout, done.stderr) == (0, "JUMP JUMP\nWALK\n", "")
    assert ness("predict", trained_run(), stdin="jump twice\nwalk\n").stdout == done.stdout


def test_lines_stay_aligned_where_there_is_no_answer() -> None:
    done = ness("predict", trained_run(), stdin="walk\nfly\n\nrun twice")
    assert (done.returncode, done.stdout) == (1, "WALK\n\n\nRUN RUN\n")
    first, second = done.stderr.splitlines()
    assert first.startswith("line 2: unknown word 'fly' (word 1 of the input)")
    assert second == "line 3: step 1: the input is empty; give at least one word"


def test_json_lines() -> None:
    done = ness("predict", trained_run(), "--jsonl", stdin="jump twice\nfly\n")
    good, bad = map(json.loads, done.stdout.splitlines())
    assert good["status"] == "ok"
    assert good["output"] == "JUMP JUMP"
    assert good["support"] >= 1
    assert 0 < good["probability"] <= 1
    assert good["trace"][0] == "SHIFT"
    assert good["trace"][-1] == "FINAL"
    assert (bad["status"], bad["output"]) == ("error", None)
    assert "unknown word 'fly'" in bad["error"]


def test_strict_refuses_what_no_trace_supports() -> None:
    assert ness("predict", trained_run(), "walk twice twice").stdout == "WALK WALK WALK WALK\n"
    done = ness("predict", trained_run(), "--strict", "walk twice twice", "walk twice")
    assert (done.returncode, done.stdout) == (1, "\nWALK WALK\n")
    assert done.stderr.startswith("line 1: step 4, before the word 'twice': no training trace had ")


def test_unknown_words_can_be_copied() -> None:
    done = ness("predict", trained_run(), "--unknown", "copy", "fly")
    assert (done.returncode, done.stdout) == (0, "fly\n")


def test_several_answers_are_separated_by_tabs() -> None:
    done = ness("predict", trained_run(), "--n-best", "3", "jump twice")
    assert done.returncode == 0
    assert done.stdout.rstrip("\n").split("\t")[0] == "JUMP JUMP"
    record = json.loads(ness("predict", trained_run(), "--n-best", "2", "--jsonl", "jump twice").stdout)
    assert record["candidates"][0]["output"] == "JUMP JUMP"


def test_a_beam_finds_the_same() -> None:
    assert ness("predict", trained_run(), "--beam", "5", "jump twice").stdout == "JUMP JUMP\n"


def test_answers_come_while_input_is_open() -> None:
    process = subprocess.Popen([NESS, "predict", trained_run()], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    for line, answer in ((b"walk\n", b"WALK\n"), (b"jump\n", b"JUMP\n")):
        process.stdin.write(line)
        process.stdin.flush()
        assert process.stdout.readline() == answer
    process.stdin.close()
    assert process.wait() == 0
    process.stdout.close()


@pytest.mark.parametrize("content", ["\ufeffwalk\r\nrun twice\r\n", "  walk  \n\trun   twice"])
def test_windows_line_ends_byte_order_marks_and_spaces_do_not_matter(content: str) -> None:
    assert ness("predict", trained_run(), stdin=content).stdout == "WALK\nRUN RUN\n"


def test_bytes_that_are_no_text_are_an_unknown_word() -> None:
    done = ness("predict", trained_run(), stdin=b"\xff\xfe\nwalk\n")
    assert (done.returncode, done.stdout) == (1, "\nWALK\n")
    assert "unknown word" in done.stderr


def test_a_very_long_line_is_answered_or_refused_in_one_line() -> None:
    done = ness("predict", trained_run(), stdin="walk " * 200_000 + "\nwalk\n")
    assert done.returncode == 1
    assert done.stdout == "\nWALK\n"
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 1000


def test_an_output_without_end_is_refused() -> None:
    done = ness("predict", trained_run(), "walk " + "thrice " * 100)
    assert (done.returncode, done.stdout) == (1, "\n")
    assert done.stderr.count("\n") == 1
