"""The real server: many requests at once, equal to the command line; a stop that answers first."""

import asyncio
import json
import random
import signal
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest
from served import save_model, server

from commands import ness

WORDS = ("walk", "run", "jump", "twice", "and", "hop")
REQUESTS, AT_ONCE = 1_000, 50


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "nine"
    save_model(path)
    return path


async def ask_all(address: str, inputs: list[str]) -> list[dict[str, Any]]:
    """Send one request for each input, `AT_ONCE` of them at a time."""
    turn = asyncio.Semaphore(AT_ONCE)
    limits = httpx2.Limits(max_connections=AT_ONCE)
    async with httpx2.AsyncClient(base_url=address, limits=limits, timeout=60) as client:

        async def ask(text: str) -> dict[str, Any]:
            async with turn:
                reply = await client.post("/v1/translate", json={"inputs": [text]})
            assert reply.status_code == 200, reply.text
            (only,) = reply.json()["outputs"]
            answer: dict[str, Any] = only
            return answer

        return await asyncio.gather(*map(ask, inputs))


@pytest.mark.slow
def test_a_thousand_requests_at_once_answer_as_the_command_line_does(run: Path) -> None:
    rng = random.Random(0)
    inputs = [" ".join(rng.choices(WORDS, weights=(4, 4, 4, 3, 4, 1), k=rng.randint(1, 6))) for _ in range(REQUESTS)]
    with server(run) as (address, process):
        found = asyncio.run(ask_all(address, inputs))
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    printed = ness("predict", run, "--jsonl", stdin="".join(f"{text}\n" for text in inputs)).stdout
    expected = [json.loads(line) for line in printed.splitlines()]
    assert len(expected) == REQUESTS
    wanted = [(each["output"], each.get("support", 0), each.get("error")) for each in expected]
    assert [(each["output"], each["support"], each["error"]) for each in found] == wanted
    outcomes = {each["error"] is None for each in found}
    assert outcomes == {True, False}


@pytest.mark.slow
def test_a_stop_answers_what_was_asked_before(run: Path) -> None:
    long = ["walk and " * 3_000 + "run"] * 20
    with server(run) as (address, process):
        httpx2.get(f"{address}/v1/health")
        replies: list[httpx2.Response] = []
        body = {"inputs": long}
        asking = threading.Thread(
            target=lambda: replies.append(httpx2.post(f"{address}/v1/translate", json=body, timeout=60))
        )
        asking.start()
        while 'ness_batch_inputs_count{model="nine"} 1' not in httpx2.get(f"{address}/metrics").text:
            assert asking.is_alive()
        process.send_signal(signal.SIGINT)
        asking.join(60)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert [reply.status_code for reply in replies] == [200]
    assert len(replies[0].json()["outputs"]) == len(long)
