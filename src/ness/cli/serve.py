"""`ness serve`: trained models behind an address."""

from pathlib import Path
from typing import Annotated

import typer

HOST = Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; beyond this machine a token is wise.")]
TOKEN = Annotated[
    str | None, typer.Option(envvar="NESS_TOKEN", show_envvar=True, help="What callers must know; else anybody may.")
]
NAMES = Annotated[
    list[str] | None, typer.Option("--name", metavar="HOST", help="A host name to answer to; may be repeated.")
]


def serve(
    runs: Annotated[list[Path] | None, typer.Argument(metavar="[RUN]...", help="Folders of trained models.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 picks a free one.")] = 8000,
    host: HOST = "127.0.0.1",
    token: TOKEN = None,
    names: NAMES = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Serve the models; no teaching.")] = False,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    max_body: Annotated[int, typer.Option(min=100, metavar="BYTES", help="The largest request.")] = 1_000_000,
    max_inputs: Annotated[int, typer.Option(min=1, metavar="N", help="Inputs of a request.")] = 1_000,
    max_words: Annotated[int, typer.Option(min=1, metavar="N", help="Words of an input or an output.")] = 10_000,
    max_seconds: Annotated[float, typer.Option(min=0.1, metavar="N", help="For one request.")] = 30.0,
    max_at_once: Annotated[int, typer.Option(min=1, metavar="N", help="Requests at the same time.")] = 100,
) -> None:
    """Serve models: a JSON API (/docs), metrics (/metrics), and a page to try and teach them (/).

    A run that is trained again is read again by itself. Ctrl-C or SIGTERM stops after the requests in progress.

    \b
    ness serve runs/my
    curl http://127.0.0.1:8000/v1/translate --json '{"inputs": ["jump twice"]}'
    NESS_TOKEN=$(openssl rand -hex 16) ness serve runs/my --host 0.0.0.0 --read-only
    """
    from ness.cli.sources import say
    from ness.errors import ConfigError

    require_extra()
    from ness.serve.app import Service, make_app
    from ness.serve.lesson import Lesson
    from ness.serve.limits import Limits
    from ness.serve.metrics import Metrics
    from ness.serve.models import load_models
    from ness.serve.run import check_access, run_app

    access, warning = check_access(host, token, frozenset(names or ()))
    limits = Limits(max_body, max_inputs, max_words, seconds=max_seconds, at_once=max_at_once)
    if read_only and not runs:
        raise ConfigError("--read-only serves trained models; name at least one RUN")
    metrics = Metrics()
    models = load_models(runs or (), limits, metrics, device)
    if warning:
        say(warning)
    lesson = None if read_only or warning else Lesson(limits)
    service = Service(models, limits, access, metrics, lesson)
    run_app(make_app(service), host, port, lambda url: print(f"serving at {url}", flush=True))


def require_extra() -> None:
    """Say what to install where the web framework is missing."""
    from importlib.util import find_spec

    from ness.errors import ConfigError

    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise ConfigError("This needs FastAPI and uvicorn; install them with: pip install 'ness-machine[serve]'")
