"""Malformed requests of every kind: a clear answer, never an error of the server's own."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance
from served import client_of, in_a_thread, service_of, settled
from starlette.testclient import TestClient

from ness.serve.lesson import Lesson, Version
from ness.serve.marks import Line
from nine_examples import NINE

pytest_plugins = ["lesson_fixtures"]

KINDS = ["application/json", "text/plain", "multipart/form-data", "application/x-www-form-urlencoded", "é"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("walk"),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.sampled_from(["inputs", "strict", "model", "engine", "n_best", "input"]), inner)
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def client(run: Path) -> Iterator[TestClient]:
    with client_of(service_of([run])) as started:
        yield started


class StillLesson(Lesson):
    """A lesson whose learning takes no time: it is started by hand, once."""

    def start_learning(self) -> None:
        if self.learned is None:
            super().start_learning()

    def cancel(self) -> None:
        pass


@pytest.mark.slow
@settings(max_examples=200)
@given(path=st.sampled_from(["/v1/translate", "/v1/trace"]), body=JSON)
def test_any_json_gets_an_answer(client: TestClient, path: str, body: Any) -> None:
    reply = client.post(path, content=json.dumps(body), headers={"content-type": "application/json"})
    assert reply.status_code in (200, 400, 404, 422)
    assert reply.status_code == 200 or set(reply.json()) == {"error"}


@settings(max_examples=200)
@given(
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "BREW"]),
    path=st.sampled_from(["/v1/translate", "/v1/trace", "/v1/rules", "/v1/models", "/metrics", "/", "/static/x"]),
    query=st.dictionaries(st.sampled_from(["model", "x"]), st.text(), max_size=2),
    body=st.binary(max_size=200),
    kind=st.sampled_from(KINDS),
)
def test_any_bytes_get_an_answer(
    client: TestClient, method: str, path: str, query: dict[str, str], body: bytes, kind: str
) -> None:
    known = {name: value.encode("utf-8", "replace").decode() for name, value in query.items()}
    headers = {b"content-type": kind.encode()}
    assert client.request(method, path, params=known, content=body, headers=headers).status_code < 500


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
def test_what_the_description_allows_is_answered_as_described(run: Path, mode: GenerationMode) -> None:
    """Schemathesis makes requests from the OpenAPI description, good and bad ones, and compares the answers with it."""
    lines = tuple(Line(number, *pair) for number, pair in enumerate(NINE.items(), 1))
    service = service_of([run], lesson=StillLesson(now=Version(lines)))
    with in_a_thread(service) as address:
        with httpx2.Client(base_url=address) as client:
            settled(client)
        fuzz(address, mode)


def fuzz(address: str, mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    called = []

    @settings(max_examples=200, suppress_health_check=list(HealthCheck))
    @given(case=schema.as_strategy(generation_mode=mode))
    def check(case: "schemathesis.Case[Any]") -> None:
        response = case.call()
        called.append(response.status_code)
        case.validate_response(response, checks=[not_a_server_error, response_schema_conformance])

    check()
    assert len(called) >= 100
    assert set(called) <= {200, 400, 404, 405, 409, 422}
    assert (200 in called) if mode is GenerationMode.POSITIVE else ({400, 422} & set(called))
