"""The API: its answers are the model's own, its errors say what is wrong."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from served import client_of, save_model, service_of
from starlette.testclient import TestClient

from ness import Transducer
from ness.serve.batching import Batcher
from nine_examples import NINE

pytest_plugins = ["lesson_fixtures"]


@pytest.fixture(scope="module")
def client(run: Path) -> Iterator[TestClient]:
    with client_of(service_of([run])) as started:
        yield started


def test_answers_come_in_order_with_their_support(client: TestClient) -> None:
    reply = client.post("/v1/translate", json={"inputs": ["jump twice", "hop", "walk twice twice"]})
    assert reply.status_code == 200
    first, second, third = reply.json()["outputs"]
    assert first == {"output": "JUMP JUMP", "support": 2, "error": None}
    assert second["output"] is None
    assert "unknown word 'hop'" in second["error"]
    assert third == {"output": "WALK WALK WALK WALK", "support": 0, "error": None}


def test_strict_refuses_what_is_extrapolated(client: TestClient) -> None:
    reply = client.post("/v1/translate", json={"inputs": ["walk twice twice"], "strict": True})
    (only,) = reply.json()["outputs"]
    assert only["output"] is None
    assert "extrapolated" in only["error"]


def test_answers_are_those_of_the_transducer(client: TestClient, run: Path) -> None:
    inputs = [*NINE, "run twice and jump", "and walk", "", "  ", "walk walk"]
    model = Transducer.load(run)
    expected = [
        {"output": None if answer.output is None else " ".join(answer.output), "support": answer.support}
        for answer in model.answers(inputs)
    ]
    found = client.post("/v1/translate", json={"inputs": inputs}).json()["outputs"]
    assert [{"output": each["output"], "support": each["support"]} for each in found] == expected


def test_n_best_adds_candidates(client: TestClient) -> None:
    reply = client.post("/v1/translate", json={"inputs": ["jump twice"], "n_best": 3})
    (only,) = reply.json()["outputs"]
    assert only["candidates"][0] == {"output": "JUMP JUMP", "probability": 1.0}


def test_a_trace_has_steps_with_reasons(client: TestClient) -> None:
    data = client.post("/v1/trace", json={"input": "jump twice"}).json()
    assert data["output"] == ["JUMP", "JUMP"]
    assert [step["operator"] for step in data["steps"]][:2] == ["SHIFT", "REDUCE"]
    assert data["steps"][0]["reason"]["support"] > 0


def test_rules_models_and_health(client: TestClient) -> None:
    assert "<jump> = jump run walk" in client.get("/v1/rules").json()["text"]
    (model,) = client.get("/v1/models").json()["models"]
    assert (model["name"], model["engines"], model["examples"]) == ("nine", ["rules"], 9)
    assert client.get("/v1/health").json()["status"] == "ok"


def test_with_several_models_one_is_named(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "nine"
    save_model(other, {"a": "B", "c": "D"})
    with client_of(service_of([run, other])) as client:
        assert [model["name"] for model in client.get("/v1/models").json()["models"]] == ["nine", "nine-2"]
        reply = client.post("/v1/translate", json={"inputs": ["a"], "model": "nine-2"})
        assert reply.json()["outputs"][0]["output"] == "B"
        assert client.post("/v1/translate", json={"inputs": ["a"]}).status_code == 422
        unknown = client.post("/v1/translate", json={"inputs": ["a"], "model": "../nine"})
        assert unknown.status_code == 404
        assert "nine-2" in unknown.json()["error"]


def test_a_linked_folder_has_the_name_of_the_link(run: Path, tmp_path: Path) -> None:
    link = tmp_path / "latest"
    link.symlink_to(run, target_is_directory=True)
    assert list(service_of([link, tmp_path / "latest" / "."]).models) == ["latest", "latest-2"]


def test_an_engine_that_is_not_there_is_named(client: TestClient) -> None:
    reply = client.post("/v1/translate", json={"inputs": ["walk"], "engine": "controller"})
    assert (reply.status_code, "rules only" in reply.json()["error"]) == (422, True)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"{", 400, "the body is not JSON"),
        (b"\xff\xfe", 400, "body"),
        (b"[" * 100_000, 400, "body"),
        (b"null", 422, "the body"),
        (b'{"inputs": "walk"}', 422, "inputs: Input should be a valid list"),
        (b'{"inputs": [1]}', 422, "inputs.0: Input should be a valid string"),
        (b'{"inputs": ["\\ud800"]}', 422, "surrogate"),
        (b'{"inputs": ["walk"], "n_best": 0}', 422, "n_best"),
        (b'{"inputs": ["walk"], "n_best": 1e999}', 422, "n_best"),
        (b'{"inputs": ["walk"], "n_best": NaN}', 422, "n_best"),
        (b'{"inputs": ["walk"], "n_best": "2"}', 422, "n_best: Input should be a valid integer"),
        (b'{"inputs": ["walk"], "n_best": true}', 422, "n_best: Input should be a valid integer"),
        (b'{"inputs": ["walk"], "n_best": ' + b"9" * 4_000 + b"}", 422, "n_best"),
        (b'{"inputs": ["walk"], "n_best": ' + b"9" * 100_000 + b"}", 400, "body"),
        (b'{"inputs": ["walk"], "strict": "no"}', 422, "strict: Input should be a valid boolean"),
        (b'{"inputs":' * 100_000, 400, "body"),
        (b'{"inputs": ["walk"], "model": "\\ud800"}', 422, "surrogate"),
        (b'{"inputs": ["walk"], "stirct": true}', 422, "stirct: Extra inputs are not permitted"),
        (b'{"inputs": ["walk"], "engine": "/etc/passwd"}', 422, "engine"),
    ],
)
def test_malformed_bodies_are_told(client: TestClient, body: bytes, status: int, message: str) -> None:
    reply = client.post("/v1/translate", content=body, headers={"content-type": "application/json"})
    assert reply.status_code == status
    assert message in reply.json()["error"]
    assert "Traceback" not in reply.text


def test_what_is_not_there(client: TestClient) -> None:
    assert client.get("/v2/translate").json() == {"error": "nothing is here; see /docs"}
    assert client.get("/v1/translate").status_code == 405
    assert client.post("/v1/translate", content=b"a=b").status_code == 422


def test_a_run_that_was_trained_again_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ness.serve.models._CHECK_SECONDS", 0.0)
    path = tmp_path / "mine"
    save_model(path, {"a": "B"})
    with client_of(service_of([path])) as client:

        def ask() -> str | None:
            output: str | None = client.post("/v1/translate", json={"inputs": ["a"]}).json()["outputs"][0]["output"]
            return output

        assert ask() == "B"
        manifest = (path / "manifest.json").read_bytes()
        (path / "manifest.json").write_bytes(b"{}")
        assert ask() == "B"  # damaged: the old model goes on
        assert "manifest.json" in client.get("/v1/models").json()["models"][0]["problem"]
        (path / "manifest.json").unlink()
        assert ask() == "B"
        (path / "manifest.json").write_bytes(manifest)
        save_model(path, {"a": "C"})
        assert ask() == "C"
        assert client.get("/v1/models").json()["models"][0]["problem"] is None
        assert 'ness_reloads_total{model="mine"} 1' in client.get("/metrics").text


def test_metrics_count_requests_by_route(run: Path) -> None:
    with client_of(service_of([run])) as client:
        client.post("/v1/translate", json={"inputs": ["walk", "hop", "walk twice twice"]})
        client.get("/v1/nothing/1")
        client.get("/v1/nothing/2")
        lines = client.get("/metrics").text.splitlines()
    assert 'ness_requests_total{path="/v1/translate",status="200"} 1' in lines
    assert 'ness_requests_total{path="other",status="404"} 2' in lines
    assert 'ness_inputs_total{model="nine",outcome="extrapolated"} 1' in lines
    assert 'ness_batch_inputs_sum{model="nine"} 3.000000' in lines
    assert all(line.startswith("#") or len(line.rsplit(" ", 1)) == 2 for line in lines)


def test_requests_that_wait_are_answered_together() -> None:
    """While the first batch is at work three more requests arrive: they are one batch, each gets its own answers."""
    import asyncio

    go_on = threading.Event()
    batches: list[list[int]] = []

    def work(kind: str, numbers: list[int]) -> list[int]:
        batches.append(list(numbers))
        assert go_on.wait(30)
        return [number * 10 for number in numbers]

    async def ask() -> list[list[int]]:
        batcher: Batcher[str, int, int] = Batcher(work)
        first = asyncio.create_task(batcher.ask("a", [1]))
        while not batches:
            await asyncio.sleep(0.001)
        later = [asyncio.create_task(batcher.ask("a", [number, number + 1])) for number in (2, 4)]
        other = asyncio.create_task(batcher.ask("b", [6]))
        left = asyncio.create_task(batcher.ask("a", [7]))
        await asyncio.sleep(0)
        left.cancel()
        await asyncio.sleep(0)
        go_on.set()
        answers = await asyncio.gather(first, *later, other)
        batcher.close()
        return answers

    assert asyncio.run(ask()) == [[10], [20, 30], [40, 50], [60]]
    assert batches == [[1], [2, 3, 4, 5], [6]]


def test_an_error_in_a_batch_reaches_its_callers_only(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = service_of([run])
    answer = service.models["nine"].engines.answer

    def failing(wanted: object, sources: list[tuple[str, ...]]) -> object:
        if ("jump",) in sources:
            raise RuntimeError("secret path /etc/ness")
        return answer(wanted, sources)  # type: ignore[arg-type]

    monkeypatch.setattr(service.models["nine"].engines, "answer", failing)
    with client_of(service) as client:
        broken = client.post("/v1/translate", json={"inputs": ["jump"]})
        assert broken.status_code == 500
        assert broken.json() == {"error": "something went wrong in the server; its log has the details"}
        assert client.post("/v1/translate", json={"inputs": ["walk"]}).status_code == 200


def test_a_request_that_takes_too_long_is_ended(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ness.serve.limits import Limits

    service = service_of([run], Limits(seconds=0.05))
    hold = threading.Event()
    monkeypatch.setattr(service.models["nine"].engines, "answer", lambda wanted, sources: hold.wait(30))
    with client_of(service) as client:
        reply = client.post("/v1/translate", json={"inputs": ["walk"]})
        hold.set()
    assert reply.status_code == 503
    assert reply.headers["retry-after"] == "5"
    assert "longer than 0.05 s" in reply.json()["error"]


def test_openapi_describes_every_route(client: TestClient) -> None:
    described = json.loads(client.get("/openapi.json").content)
    assert {"/v1/translate", "/v1/trace", "/v1/rules", "/v1/models", "/v1/health"} <= set(described["paths"])
    assert "/static/docs.js" in client.get("/docs").text
    assert client.get("/static/docs.js").status_code == 200
