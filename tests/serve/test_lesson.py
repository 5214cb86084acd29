"""A lesson through its API: examples and their marks, learning, tries, questions, files."""

import io
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import httpx2
import pytest
from served import OPEN, answer, client_of, emptied, give, lines_of, marks, save_model, server, service_of, settled
from starlette.testclient import TestClient

from ness import Transducer
from ness.serve.lesson import Lesson
from ness.serve.limits import Limits
from nine_examples import NINE

pytest_plugins = ["lesson_fixtures"]


def test_nine_examples_are_learned_and_answer(client: TestClient) -> None:
    state = give(client, NINE)
    assert state["progress"]["state"] == "learned"
    assert state["model"] == {"engines": ["rules"], "examples": 9, "solved": 9, "up_to_date": True}
    assert marks(state) == [[]] * 9
    first = answer(client, "jump twice and walk")
    assert (first["output"], first["words"]) == ("JUMP JUMP WALK", "follows 1 example")
    assert answer(client, "run and run and run")["words"].startswith(
        "extrapolated: no example shows what to do at step"
    )
    assert answer(client, "hop")["words"].startswith("refused: unknown word 'hop'")
    by_name = client.post("/v1/translate", json={"inputs": ["jump twice"], "model": "lesson"})
    assert by_name.json()["outputs"][0]["output"] == "JUMP JUMP"


def test_before_anything_is_learned_routes_say_so(client: TestClient) -> None:
    for reply in (
        client.post("/v1/lesson/try", json={"input": "walk"}),
        client.get("/v1/lesson/questions"),
        client.get("/v1/lesson/rules"),
        client.get("/v1/lesson/files/translator.py"),
    ):
        assert (reply.status_code, reply.json()["error"]) == (409, "nothing is learned yet; give an example first")


def test_lines_are_marked_with_reasons(client: TestClient) -> None:
    pairs = [*NINE.items(), ("walk", "RUN"), ("run", "RUN"), ("jump twice", ""), ("", "JUMP")]
    lines = [{"source": source, "target": target} for source, target in pairs]
    client.put("/v1/lesson/examples", json={"lines": lines})
    state = settled(client)
    found = marks(state)
    assert found[0] == ["contradictory"]
    assert found[9][:1] == ["contradictory"]
    assert found[10] == ["repeated"]
    assert found[11] == found[12] == ["incomplete"]
    assert state["lines"][9]["marks"][0]["reason"] == "The same input has the output “WALK” on line 1."
    assert state["lines"][10]["marks"][0]["reason"] == "The same as line 2."


def test_a_wrong_line_is_suspicious_and_told_what_was_expected(client: TestClient) -> None:
    more = {
        f"{word} and {other}": f"{word.upper()} {other.upper()}"
        for word in ("walk", "jump")
        for other in ("run", "jump")
    }
    wrong = {"jump twice": "JUMP WALK JUMP"}
    state = give(client, NINE | more | wrong)
    (found,) = [line["marks"] for line in state["lines"] if line["source"] == "jump twice"]
    assert found[0]["kind"] == "suspicious"
    assert "“JUMP JUMP”" in found[0]["reason"]


@pytest.mark.slow
def test_what_is_learned_depends_on_the_examples_alone(client: TestClient) -> None:
    """Neither on what was learned on the way nor on what was ended before it was learned."""
    lines = lines_of(OPEN | {"walk and jump twice": "WALK JUMP WALK JUMP", "jump and run and walk": "JUMP RUN WALK"})
    found = set()
    for on_the_way, wait in (((), True), (range(1, len(lines)), False), ((4, 9, 10), True), ((9, 2, 10), False)):
        emptied(client)
        for count in (*on_the_way, len(lines)):
            client.put("/v1/lesson/examples", json={"lines": lines[:count]})
            if wait:
                settled(client)
        assert settled(client)["progress"]["text"].startswith("learned 11 of 11 examples")
        questions = client.get("/v1/lesson/questions?n=5").text
        found.add((client.get("/v1/lesson/files/rules.txt").text, questions))
    assert len(found) == 1


BRACKETS = {
    "a": "[ A ]",
    "b": "[ B ]",
    "c": "[ C ]",
    "a and b": "[ A , B ]",
    "b and c": "[ B , C ]",
    "c and a": "[ C , A ]",
    "a and b and c": "[ A , B , C ]",
}


@pytest.mark.slow
def test_where_begin_and_end_are_words_nobody_sees_them(client: TestClient) -> None:
    """The brackets stand around the whole: the model reads begin and end of the input."""
    give(client, BRACKETS)
    assert "‹begin›" in client.get("/v1/lesson/files/rules.txt").text
    asked = client.get("/v1/lesson/questions?n=20").json()["questions"]
    assert all("‹" not in question["source"] for question in asked)
    assert not {question["source"] for question in asked} & set(BRACKETS)
    rules = client.get("/v1/lesson/rules").json()["rules"]
    assert {text for each in rules for text in each["examples"]} == set(BRACKETS)
    client.post("/v1/lesson/rules", json={"action": "pin", "kind": "word", "left": "a", "right": "X"})
    marked = [line["source"] for line in settled(client)["lines"] if line["marks"]]
    assert marked == [source for source in BRACKETS if "a" in source.split()]


def test_undo_and_redo(client: TestClient) -> None:
    give(client, {"walk": "WALK"})
    give(client, {"walk": "WALK", "run": "RUN"})
    assert [line["source"] for line in client.post("/v1/lesson/undo").json()["lines"]] == ["walk"]
    redone = client.post("/v1/lesson/redo").json()
    assert [line["source"] for line in redone["lines"]] == ["walk", "run"]
    assert (redone["can_undo"], redone["can_redo"]) == (True, False)


def test_lines_keep_their_numbers(client: TestClient) -> None:
    before = give(client, {"walk": "WALK", "run": "RUN"})["lines"]
    lines = [{"id": before[1]["id"], "source": "run", "target": "RUN"}, {"id": 10**9, "source": "a", "target": "B"}]
    lines.append(lines[0])
    after = client.put("/v1/lesson/examples", json={"lines": lines}).json()["lines"]
    assert after[0]["id"] == before[1]["id"]
    assert len({line["id"] for line in after}) == 3
    assert 10**9 not in {line["id"] for line in after}


def test_pasted_text_is_added(client: TestClient) -> None:
    reply = client.post("/v1/lesson/paste", json={"text": "input,output\nwalk,WALK\n\nno comma\n"}).json()
    assert (reply["added"], reply["problems"]) == (1, ["line 4: 1 columns, the header has more"])
    assert [line["source"] for line in reply["lesson"]["lines"]] == ["walk"]


def test_a_correction_replaces_the_example_and_tells_what_changed(client: TestClient) -> None:
    give(client, NINE)
    answer(client, "jump twice")
    answer(client, "walk twice twice")
    client.post("/v1/lesson/examples", json={"source": "walk  twice twice", "target": "WALK WALK WALK WALK WALK"})
    state = settled(client)
    assert len(state["lines"]) == 10
    changed = {change["source"]: change["after"] for change in state["changes"]}
    assert changed["walk twice twice"] == "WALK WALK WALK WALK WALK"
    client.post("/v1/lesson/examples", json={"source": "walk twice twice", "target": "WALK WALK WALK WALK"})
    assert len(settled(client)["lines"]) == 10


def test_questions_have_candidates_and_are_not_asked_again(client: TestClient) -> None:
    give(client, NINE)
    asked = client.get("/v1/lesson/questions?n=20").json()["questions"]
    one = next(question for question in asked if question["source"] == "run twice twice")
    assert one["candidates"] == ["RUN RUN RUN RUN"]
    assert "no example shows this" in one["reason"]
    first, second, *_ = asked
    client.post("/v1/lesson/skip", json={"input": first["source"]})
    client.post("/v1/lesson/examples", json={"source": second["source"], "target": second["candidates"][0]})
    settled(client)
    again = [question["source"] for question in client.get("/v1/lesson/questions?n=20").json()["questions"]]
    assert first["source"] not in again
    assert second["source"] not in again


def test_the_open_reading_is_asked_first_with_both_answers(client: TestClient) -> None:
    """Nothing in OPEN says whether `twice` repeats the last word or all before it."""
    give(client, OPEN)
    (first,) = client.get("/v1/lesson/questions?n=1").json()["questions"]
    assert first["source"] == "jump and run twice"
    assert {"JUMP RUN RUN", "JUMP RUN JUMP RUN"} <= set(first["candidates"])
    client.post("/v1/lesson/examples", json={"source": first["source"], "target": "JUMP RUN JUMP RUN"})
    settled(client)
    assert answer(client, "walk and jump twice")["output"] == "WALK JUMP WALK JUMP"


def test_questions_are_short_and_of_different_words(client: TestClient) -> None:
    """In `run and run twice` nobody could see which of the two is repeated."""
    give(client, dict(list(OPEN.items())[:7]))
    open_ones = [q["source"].split() for q in client.get("/v1/lesson/questions?n=20").json()["questions"]][:2]
    assert [len(source) for source in open_ones] == [4, 5]
    assert all(len(set(source) - {"and", "twice"}) > 1 for source in open_ones)


def test_what_is_taken_away_answers_as_the_page_does(client: TestClient, tmp_path: Path) -> None:
    give(client, NINE)
    client.post("/v1/lesson/rules", json={"action": "pin", "kind": "CONCAT_S", "left": "X twice", "right": "X X X"})
    settled(client)
    inputs = [*NINE, "jump twice and run", "walk twice twice", "hop"]
    shown = [answer(client, text)["output"] or "" for text in inputs]
    translator = tmp_path / "translator.py"
    translator.write_bytes(client.get("/v1/lesson/files/translator.py").content)
    command = [sys.executable, "-I", str(translator)]
    done = subprocess.run(command, input="\n".join(inputs) + "\n", capture_output=True, text=True)
    assert done.stdout.splitlines() == shown
    archive = zipfile.ZipFile(io.BytesIO(client.get("/v1/lesson/files/run.zip").content))
    archive.extractall(tmp_path)
    loaded = Transducer.load(tmp_path / "lesson")
    assert [output or "" for output in loaded.predict(inputs)] == shown
    text = client.get("/v1/lesson/files/examples.tsv").text
    assert text.splitlines() == [f"{source}\t{target}" for source, target in NINE.items()]
    assert "=> 0,0,0" in client.get("/v1/lesson/files/rules.txt").text
    assert client.get("/v1/lesson/files/passwd").status_code == 422


def test_the_model_from_before_answers_while_another_is_learned(client: TestClient, monkeypatch: Any) -> None:
    from ness.serve.worker import LearningProcess

    give(client, NINE)

    async def never(self: LearningProcess, job: object, report: object) -> None:
        import asyncio

        await asyncio.Event().wait()

    monkeypatch.setattr(LearningProcess, "learn", never)
    client.post("/v1/lesson/examples", json={"source": "hop", "target": "HOP"})
    state = client.get("/v1/lesson").json()
    assert state["progress"]["state"] == "learning"
    assert state["model"]["up_to_date"] is False
    assert answer(client, "jump twice")["output"] == "JUMP JUMP"
    assert client.post("/v1/lesson/cancel").json()["progress"]["state"] == "cancelled"
    assert answer(client, "jump twice")["output"] == "JUMP JUMP"


def test_learning_can_be_cancelled_and_started_again(client: TestClient) -> None:
    for _ in range(3):
        client.put("/v1/lesson/examples", json={"lines": lines_of(NINE)})
        client.post("/v1/lesson/cancel")
    client.post("/v1/lesson/learn", json={})
    assert settled(client)["progress"]["state"] == "learned"


def test_a_page_of_the_trace_can_be_shown(client: TestClient) -> None:
    give(client, NINE)
    page = client.post("/v1/trace/page", json={"input": "jump twice", "model": "lesson"})
    assert page.headers["content-type"].startswith("text/html")
    assert "CONCAT_S" in page.text


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    def full(lines: object) -> None:
        raise OSError(28, "No space left on device", "my.tsv")

    with client_of(service_of(lesson=Lesson(saved=full))) as client:
        reply = client.post("/v1/lesson/examples", json={"source": "walk", "target": "WALK"})
        assert reply.status_code == 422
        assert reply.json()["error"] == "my.tsv was not written (No space left on device); the change is here only"
        assert len(client.get("/v1/lesson").json()["lines"]) == 1


def test_too_many_examples_are_refused() -> None:
    limits = Limits(examples=2)
    with client_of(service_of(limits=limits, lesson=Lesson(limits))) as client:
        assert client.put("/v1/lesson/examples", json={"lines": lines_of(NINE)}).status_code == 422
        assert client.post("/v1/lesson/paste", json={"text": "a\tA\nb\tB\nc\tC"}).status_code == 422
        assert client.put("/v1/lesson", json={"lines": lines_of(NINE)}).status_code == 422


def test_read_only_has_no_lesson(tmp_path: Path) -> None:
    save_model(tmp_path / "nine")
    with client_of(service_of([tmp_path / "nine"])) as client:
        assert client.get("/v1/lesson").status_code == 404
        assert client.put("/v1/lesson", json={"lines": []}).status_code in (404, 405)


def test_texts_are_cut_as_chosen(client: TestClient, tmp_path: Path) -> None:
    sentences = {
        "Fetch bolts": "take(bolts)",
        "Fetch nuts": "take(nuts)",
        "Count bolts": "scan(bolts)",
        "Count nuts": "scan(nuts)",
        "Count gears": "scan(gears)",
    }
    chosen = {"tokens": "punctuation", "target_tokens": "punctuation", "lowercase": True}
    give(client, sentences)
    assert answer(client, "fetch gears.")["output"] is None
    reply = client.put("/v1/lesson/spelling", json=chosen)
    assert reply.json()["spelling"] == chosen
    settled(client)
    found = answer(client, "FETCH gears.")
    assert (found["output"], found["tokens"]) == ("take(gears)", ["take", "(", "gears", ")"])
    translator = tmp_path / "translator.py"
    translator.write_bytes(client.get("/v1/lesson/files/translator.py").content)
    done = subprocess.run([sys.executable, "-I", str(translator), "Fetch gears!"], capture_output=True, text=True)
    assert done.stdout == "take(gears)\n"
    outputs = client.post("/v1/translate", json={"inputs": ["fetch GEARS"], "model": "lesson"}).json()["outputs"]
    assert outputs[0]["output"] == "take(gears)"
    assert client.put("/v1/lesson/spelling", json={"tokens": "letters"}).status_code == 422
    client.post("/v1/lesson/undo")
    assert settled(client)["spelling"]["tokens"] == "words"


@pytest.mark.slow
def test_a_cancelled_process_leaves_nothing_behind(tmp_path: Path) -> None:
    """With workers of its own at work, learning ends quickly and quietly, and the next one starts afresh."""
    file = tmp_path / "many.tsv"
    file.write_text("".join(f"a{number} b{number % 7} c\tX{number * 37 % 11} Y{number}\n" for number in range(200)))
    with server(file, "--no-browser", command="teach") as (address, process):
        with httpx2.Client(base_url=address) as client:
            while "lesson 1" not in client.get("/v1/lesson").json()["progress"]["text"]:
                assert client.get("/v1/lesson").json()["progress"]["state"] == "learning"
            assert client.post("/v1/lesson/cancel").json()["progress"]["text"] == "stopped"
            client.put("/v1/lesson/examples", json={"lines": lines_of({"walk": "WALK"})})
            assert settled(client)["progress"]["state"] == "learned"
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "")
