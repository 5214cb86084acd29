"""`ness run`: a program drawn step by step, as JSON, and what is said when it cannot go on."""

import json

import pytest

from commands import ness

PROGRAM = "SHIFT; REDUCE JUMP; SHIFT; PUSH; SHIFT; REDUCE RTURN; POP; CONCAT_M 2,0; CONCAT_S 1,1,1,1; FINAL"

DRAWN = """\
step  input              stack, top first         memory        instruction
   1  jump around right  ·                        ·             SHIFT
   2  around right       jump                     ·             REDUCE JUMP
   3  around right       [JUMP]                   ·             SHIFT
   4  right              [JUMP] around            ·             PUSH
   5  right              ·                        ·             SHIFT
                         [JUMP] around
   6  end                right                    ·             REDUCE RTURN
                         [JUMP] around
   7  end                [RTURN]                  ·             POP
                         [JUMP] around
   8  end                [JUMP] around [RTURN]    ·             CONCAT_M 2,0
   9  end                around                   [RTURN JUMP]  CONCAT_S 1,1,1,1
  10  end                [RTURN JUMP RTURN JUMP   ·             FINAL
                         RTURN JUMP RTURN JUMP]
output RTURN JUMP RTURN JUMP RTURN JUMP RTURN JUMP
"""


def test_every_step_is_drawn() -> None:
    done = ness("run", PROGRAM, "jump around right")
    assert done.returncode == 0
    assert [line.rstrip() for line in done.stdout.splitlines()] == DRAWN.splitlines()
    assert done.stderr == ""


def test_json() -> None:
    done = ness("run", PROGRAM, "jump around right", "--json")
    trace = json.loads(done.stdout)
    assert trace["output"] == ["RTURN", "JUMP"] * 4
    assert trace["steps"][8] == {
        "position": 3,
        "stack": [[{"word": "around"}]],
        "memory": [{"phrase": ["RTURN", "JUMP"]}],
        "instruction": "CONCAT_S 1,1,1,1",
        "operator": "CONCAT_S",
        "argument": [1, 1, 1, 1],
        "reason": None,
    }


@pytest.mark.parametrize(
    ("program", "source", "error", "drawn_steps"),
    [
        ("SHIFT; SHIFT; FINAL", "a", "step 2: SHIFT is illegal here: the input is used up", 2),
        ("SHIFT; REDUCE A; FINAL", "a b", "step 3: FINAL is illegal here: input is left", 3),
        ("SHIFT; REDUCE A", "a", "the program ends without FINAL; add it as the last instruction", 2),
        (
            "SHIFT; REDUCE A; FINAL; POP",
            "a",
            "step 3: FINAL ends the program, but more follows; make it the last instruction",
            3,
        ),
        ("SHIFT", "", "step 1: SHIFT is illegal here: the input is used up", 1),
    ],
)
def test_programs_that_cannot_go_on_are_drawn_as_far_as_they_went(
    program: str, source: str, error: str, drawn_steps: int
) -> None:
    done = ness("run", program, source)
    assert (done.returncode, done.stderr) == (1, f"error: {error}\n")
    rows = [line for line in done.stdout.splitlines()[1:] if not line.startswith("output")]
    assert len(rows) == drawn_steps
    partial = json.loads(ness("run", program, source, "--json").stdout)
    assert len(partial["steps"]) == drawn_steps


@pytest.mark.parametrize("program", ["", "HOP", 'REDUCE "', r'REDUCE "\q"', "CONCAT_M x"])
def test_malformed_programs_are_one_line(program: str) -> None:
    done = ness("run", program, "a")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_odd_tokens_are_drawn_as_they_are() -> None:
    done = ness("run", 'SHIFT; REDUCE "a b" [red] :smile: "\\ud800"; FINAL', "[bold]x")
    assert done.returncode == 0
    assert 'output "a b" [red] :smile: "\\ud800"\n' in done.stdout
    assert "[bold]x" in done.stdout
