"""The web application: the routes of the API, every error as one line of JSON, the guards around them."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from ness import __version__
from ness.errors import NessError
from ness.rules.serialise import to_json
from ness.rules.text import format_rules
from ness.serve import schemas
from ness.serve.lesson import Lesson
from ness.serve.lesson_routes import add_lesson_routes
from ness.serve.limits import LimitRequests, Limits
from ness.serve.metrics import Measure, Metrics
from ness.serve.models import LESSON, AnswerOptions, Engines, Reply, ServedModel
from ness.serve.replies import as_json, problem
from ness.serve.security import Access, Guard, content_policy
from ness.web import render_html, title_of

log = logging.getLogger("ness.serve")
_NO_TRACE: dict[str, Any] = {"source": [], "output": None, "steps": []}
STATIC = Path(str(files("ness.serve"))) / "static"
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": schemas.Problem, "description": "The body is no JSON."},
    401: {"model": schemas.Problem, "description": "The token is missing or wrong."},
    403: {"model": schemas.Problem, "description": "Another host, or a page of another origin."},
    404: {"model": schemas.Problem, "description": "There is no such model."},
    409: {"model": schemas.Problem, "description": "Nothing is learned yet."},
    413: {"model": schemas.Problem, "description": "The request is too large."},
    422: {"model": schemas.Problem, "description": "A field is wrong, or an input too long."},
    503: {"model": schemas.Problem, "description": "Too many requests at once, or it took too long."},
}


@dataclass
class Service:
    """All that the routes use."""

    models: dict[str, ServedModel] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    access: Access = field(default_factory=Access)
    metrics: Metrics = field(default_factory=Metrics)
    lesson: Lesson | None = None  # None: teaching is off

    def __post_init__(self) -> None:
        if self.lesson is not None:
            self.lesson.published = self._publish

    def _publish(self, engines: Engines | None) -> None:
        """Serve what was learned in the page under its own name."""
        if engines is None:
            if LESSON in self.models:
                self.models.pop(LESSON).close()
        elif LESSON in self.models:
            self.models[LESSON].engines = engines
        else:
            self.models[LESSON] = ServedModel(LESSON, engines, self.metrics)

    def model(self, name: str | None) -> ServedModel:
        """Find a model by name: a key of a dict, never a path."""
        if name is not None and name in self.models:
            return self.models[name]
        runs = [model for own, model in self.models.items() if own != LESSON] or list(self.models.values())
        if name is None and len(runs) == 1:
            return runs[0]
        known = ", ".join(list(self.models)[:10]) or "none"
        if name is None:
            raise HTTPException(422, f"name a model in 'model'; models: {known}")
        raise HTTPException(404, f"there is no model of that name; models: {known}")

    def tokens(
        self, model: ServedModel, text: str, place: str = "the input", most: int | None = None
    ) -> tuple[str, ...]:
        """Cut an input into words as a model does; one that is too long is refused."""
        words = model.engines.model.spelling.split(text)
        limit = self.limits.words if most is None else most
        if len(words) > limit:
            raise HTTPException(422, f"{place} has {len(words)} words, more than {limit}; cut it")
        return words


def make_app(service: Service) -> FastAPI:
    """Build the application."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if service.lesson is not None:
            service.lesson.warm_up()
            if service.lesson.now.lines:
                service.lesson.start_learning()
        yield
        if service.lesson is not None:
            await service.lesson.close()
        for model in service.models.values():
            model.close()

    app = FastAPI(
        title="NeSS",
        version=__version__,
        summary="Exact translations, learned from examples.",
        lifespan=lifespan,
        docs_url=None,  # their pages load scripts from elsewhere; /docs here works offline
        redoc_url=None,
        responses=_PROBLEMS,
    )
    _add_routes(app, service)
    if service.lesson is not None:
        add_lesson_routes(app, service, service.lesson)
    _add_pages(app)
    _add_error_handlers(app)
    # The last one added is the outermost.
    app.add_middleware(LimitRequests, limits=service.limits)
    app.add_middleware(Guard, access=service.access, content_policy=content_policy(render_html(_NO_TRACE, "")))
    app.add_middleware(Measure, metrics=service.metrics)
    return app


def _add_routes(app: FastAPI, service: Service) -> None:
    limits = service.limits

    @app.post("/v1/translate", response_model=schemas.TranslateReply, response_model_exclude_unset=True)
    async def translate(request: schemas.TranslateRequest) -> Response:
        """Translate inputs, in order; an input without an answer has an error that says why."""
        model = service.model(request.model)
        if len(request.inputs) > limits.inputs:
            raise HTTPException(422, f"{len(request.inputs)} inputs are more than {limits.inputs}; send them in parts")
        most = limits.words if request.n_best == 1 else limits.shown
        sources = [service.tokens(model, text, f"inputs[{place}]", most) for place, text in enumerate(request.inputs)]
        wanted = AnswerOptions(request.engine, request.strict, request.n_best)
        replies = await model.answer(wanted, sources)
        join = model.engines.model.spelling.join
        return as_json({"outputs": [_output(reply, request.n_best > 1, join) for reply in replies]})

    @app.post("/v1/trace", response_model=schemas.TraceReply)
    async def trace(request: schemas.TraceRequest) -> Response:
        """Show how an input is translated: every step of the machine, and why it was taken."""
        model = service.model(request.model)
        source = service.tokens(model, request.input, most=limits.shown)
        return as_json(await model.call(lambda: model.engines.trace(source, request.engine)))

    @app.post("/v1/trace/page", response_class=HTMLResponse)
    async def trace_page(request: schemas.TraceRequest) -> Response:
        """Return the same as a page that steps through the execution."""
        model = service.model(request.model)
        source = service.tokens(model, request.input, most=limits.shown)
        data = await model.call(lambda: model.engines.trace(source, request.engine))
        return HTMLResponse(render_html(data, title_of(source)))

    @app.get("/v1/rules", response_model=schemas.RulesReply)
    async def rules(model: schemas.ModelName = None) -> Response:
        """Show what a model has learned: categories and rules, with the number of examples behind each."""
        named = service.model(model)

        def shown() -> dict[str, Any]:
            table = named.engines.model.table
            return {"text": format_rules(table), "rules": to_json(table)}

        return as_json(await named.call(shown))

    @app.get("/v1/models", response_model=schemas.ModelsReply)
    async def models() -> Response:
        """List the models."""
        for model in service.models.values():
            await model.refresh()
        found = [describe(model) for model in service.models.values()]
        return as_json({"models": found, "teaching": service.lesson is not None})

    @app.get("/v1/health", response_model=schemas.HealthReply)
    async def health() -> Response:
        """Tell that the server answers."""
        return as_json({"status": "ok", "version": __version__, "models": len(service.models)})

    @app.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> Response:
        """Counters and times in the text format of Prometheus."""
        return PlainTextResponse(service.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _add_pages(app: FastAPI) -> None:
    for path, name in {"/": "index.html", "/docs": "docs.html"}.items():
        app.add_route(path, _page((STATIC / name).read_text(encoding="utf-8")))
    app.mount("/static", StaticFiles(directory=STATIC), name="static")


def _page(text: str) -> Callable[[Request], Awaitable[Response]]:
    async def page(request: Request) -> Response:
        return HTMLResponse(text)

    return page


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        errors = error.errors()
        if errors[0]["type"] == "json_invalid":
            return problem(400, f"the body is not JSON ({errors[0].get('ctx', {}).get('error', 'it cannot be read')})")
        found = [f"{'.'.join(map(str, each['loc'][1:])) or 'the body'}: {each['msg']}" for each in errors[:3]]
        return problem(422, "; ".join(found))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        nothing = error.status_code == 404 and error.detail == "Not Found"
        return problem(error.status_code, "nothing is here; see /docs" if nothing else str(error.detail), error.headers)

    @app.exception_handler(NessError)
    async def cannot(request: Request, error: NessError) -> Response:
        return problem(422, str(error))

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        return problem(500, "something went wrong in the server; its log has the details")


def _output(reply: Reply, with_candidates: bool, join: Callable[[Iterable[str]], str]) -> dict[str, Any]:
    answer = reply.answer
    output = None if answer.output is None else join(answer.output)
    record: dict[str, Any] = {"output": output, "support": answer.support, "error": answer.error}
    if with_candidates:
        found = [{"output": join(one.output), "probability": one.probability} for one in reply.candidates]
        record["candidates"] = found
    return record


def describe(model: ServedModel) -> dict[str, Any]:
    """Say what a model is."""
    summary = model.engines.model.summary
    return {
        "name": model.name,
        "engines": model.engines.names(),
        "task": Path(summary.task).name if summary else None,  # a file's place is nobody's business
        "examples": summary.examples if summary else None,
        "solved": summary.solved if summary else None,
        "problem": model.problem or None,
    }
