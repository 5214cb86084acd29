"""The rules of a lesson through its API: readable, pinned, edited, forbidden."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from served import OPEN, answer, give, marks, settled
from starlette.testclient import TestClient

from nine_examples import NINE

pytest_plugins = ["lesson_fixtures"]


def rule(client: TestClient, **fields: str) -> dict[str, Any]:
    return next(
        each
        for each in client.get("/v1/lesson/rules").json()["rules"]
        if all(each[name] == value for name, value in fields.items())
    )


def test_what_a_rule_by_hand_settles_is_not_asked(client: TestClient) -> None:
    give(client, OPEN | {"walk and jump twice": "WALK JUMP WALK JUMP"})
    client.post("/v1/lesson/rules", json={"action": "pin", "kind": "word", "left": "jump", "right": "LEAP"})
    settled(client)
    asked = client.get("/v1/lesson/questions?n=20").json()["questions"]
    assert asked
    assert not any("JUMP" in candidate for question in asked for candidate in question["candidates"])


def test_rules_are_readable_with_the_examples_behind_them(client: TestClient) -> None:
    give(client, NINE)
    found = client.get("/v1/lesson/rules").json()
    assert found["categories"] == [["jump", "run", "walk"]]
    twice = rule(client, left="X twice")
    assert (twice["right"], twice["count"], twice["state"]) == ("X X", 4, "learned")
    assert "walk twice" in twice["examples"]
    assert rule(client, left="jump")["right"] == "JUMP"


def test_a_pinned_rule_is_obeyed_and_contradictions_are_named(client: TestClient) -> None:
    give(client, NINE)
    pin = {"action": "pin", "kind": "CONCAT_S", "left": "X twice", "right": "X X X"}
    assert client.post("/v1/lesson/rules", json=pin).status_code == 200
    state = settled(client)
    assert answer(client, "jump twice")["output"] == "JUMP JUMP JUMP"
    assert marks(state)[3] == ["against a rule"]
    assert "“X twice → X X X”" in state["lines"][3]["marks"][0]["reason"]
    assert rule(client, left="X twice", right="X X")["state"] == "replaced"
    assert rule(client, left="X twice", right="X X X")["state"] == "pin"
    client.post("/v1/lesson/rules/release", json={"kind": "CONCAT_S", "left": "X twice", "right": "X X X"})
    assert marks(settled(client)) == [[]] * 9
    assert answer(client, "jump twice")["output"] == "JUMP JUMP"


def test_a_forbidden_rule_is_not_used(client: TestClient) -> None:
    give(client, NINE)
    client.post("/v1/lesson/rules", json={"action": "forbid", "kind": "word", "left": "jump", "right": "JUMP"})
    state = settled(client)
    assert answer(client, "jump")["output"] is None
    assert marks(state)[2] == ["against a rule"]
    client.post("/v1/lesson/undo")
    settled(client)
    assert answer(client, "jump")["output"] == "JUMP"


def test_a_new_word_behaves_like_a_known_one(client: TestClient) -> None:
    give(client, NINE)
    body = {"action": "pin", "kind": "word", "left": "hop", "right": "HOP"}
    refused = client.post("/v1/lesson/rules", json=body)
    assert (refused.status_code, "which known word" in refused.json()["error"]) == (422, True)
    client.post("/v1/lesson/rules", json={**body, "like": "jump"})
    settled(client)
    assert answer(client, "hop twice and walk")["output"] == "HOP HOP WALK"


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        ("X thrice", "X X X", "no example leads to “X thrice”"),
        ("X twice", "Y", "Y is not on the left side"),
        ("X twice", "", "uses a part of its left side"),
    ],
)
def test_rules_that_cannot_be_are_told(client: TestClient, left: str, right: str, message: str) -> None:
    give(client, NINE)
    body = {"action": "pin", "kind": "CONCAT_S", "left": left, "right": right}
    reply = client.post("/v1/lesson/rules", json=body)
    assert reply.status_code == 422
    assert message in reply.json()["error"]
    assert client.get("/v1/lesson").json()["pins"] == []


def test_a_pinned_template_may_add_tokens_of_its_own(client: TestClient, tmp_path: Path) -> None:
    give(client, NINE)
    pin = {"action": "pin", "kind": "CONCAT_S", "left": "X and Y", "right": '( "X" X ; Y )'}
    assert client.post("/v1/lesson/rules", json=pin).status_code == 200
    settled(client)
    assert answer(client, "jump and run")["output"] == "( X JUMP ; RUN )"
    assert rule(client, left="X and Y", state="pin")["right"] == '( "X" X ; Y )'
    translator = tmp_path / "translator.py"
    translator.write_bytes(client.get("/v1/lesson/files/translator.py").content)
    done = subprocess.run([sys.executable, "-I", str(translator), "jump and run"], capture_output=True, text=True)
    assert done.stdout == "( X JUMP ; RUN )\n"


def test_a_pinned_rule_guides_the_search(client: TestClient) -> None:
    """What a pin decides for one construct, the search for the others takes for granted."""
    give(client, NINE | {"walk and run thrice": "WALK RUN RUN RUN"})
    pin = {"action": "forbid", "kind": "CONCAT_S", "left": "X thrice", "right": "X X X"}
    assert client.post("/v1/lesson/rules", json=pin).status_code == 200
    state = settled(client)
    found = client.get("/v1/lesson/files/rules.txt").text
    assert "# forbidden:  [● thrice]  [] => not 0,0,0 1" in found
    assert state["model"]["examples"] == 10
