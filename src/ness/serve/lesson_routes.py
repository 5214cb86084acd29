"""The routes of a lesson: examples, learning, tries, questions, rules, what to take away."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from ness.answer.engine import SourceEngine, translate
from ness.answer.explain import EXTRAPOLATED, refuse_unsupported
from ness.data.spelling import Spelling
from ness.rules.hand import obeying
from ness.serve import lesson_schemas as schemas
from ness.serve.downloads import MEDIA, What, take_away
from ness.serve.lesson import Lesson, LessonModel
from ness.serve.link import version_of
from ness.serve.marks import Line
from ness.serve.models import LESSON, Engines
from ness.serve.paste import read_paste
from ness.serve.pins import Pin, hand_of
from ness.serve.questions import suggest
from ness.serve.replies import as_json
from ness.serve.rule_list import readable_rules

if TYPE_CHECKING:
    from ness.serve.app import Service


def add_lesson_routes(app: FastAPI, service: "Service", lesson: Lesson) -> None:
    """Let the application teach."""
    _add_example_routes(app, service, lesson)
    _add_learning_routes(app, service, lesson)
    _add_rule_routes(app, lesson)


def _add_example_routes(app: FastAPI, service: "Service", lesson: Lesson) -> None:
    limits = service.limits

    def allow(count: int) -> None:
        if count > limits.examples:
            raise HTTPException(422, f"{count} examples are more than {limits.examples}; use ness train for so many")

    @app.get("/v1/lesson", response_model=schemas.LessonReply)
    async def get_lesson() -> Response:
        """Return the examples with their marks, and where learning stands."""
        return as_json(_state(lesson))

    @app.put("/v1/lesson/examples", response_model=schemas.LessonReply)
    async def set_examples(request: schemas.LinesRequest) -> Response:
        """Replace all examples."""
        allow(len(request.lines))
        lesson.change(_kept_lines(lesson, request.lines))
        return _learned_if(request.learn, lesson)

    @app.post("/v1/lesson/examples", response_model=schemas.LessonReply)
    async def add_example(request: schemas.PairRequest) -> Response:
        """Add an example, or correct the one with the same input."""
        allow(len(lesson.now.lines) + 1)
        if not request.source.split() or not request.target.split():
            raise HTTPException(422, "an example has words on both sides")
        lesson.add(request.source, request.target)
        return _learned_if(True, lesson)

    @app.post("/v1/lesson/paste", response_model=schemas.PasteReply)
    async def paste(request: schemas.PasteRequest) -> Response:
        """Add the examples of a text: TSV, CSV or JSON lines."""
        found = await run_in_threadpool(read_paste, request.text)
        allow(len(lesson.now.lines) + len(found.pairs))
        filled = [line for line in lesson.now.lines if line.source or line.target]
        lesson.change([*filled, *(lesson.new_line(*pair) for pair in found.pairs)])
        if request.learn and found.pairs:
            lesson.start_learning()
        return as_json({"added": len(found.pairs), "problems": found.problems[:20], "lesson": _state(lesson)})

    @app.put("/v1/lesson", response_model=schemas.LessonReply)
    async def open_link(request: schemas.LessonLink) -> Response:
        """Start from the examples and rules of a link."""
        allow(len(request.lines))
        lesson.change(*version_of(request, lesson.new_line))
        return _learned_if(True, lesson)

    @app.put("/v1/lesson/spelling", response_model=schemas.LessonReply)
    async def set_spelling(request: schemas.SpellingRequest) -> Response:
        """Choose how texts are cut into tokens."""
        lesson.change(spelling=Spelling(*request.model_dump().values()))
        return _learned_if(True, lesson)

    @app.post("/v1/lesson/undo", response_model=schemas.LessonReply)
    async def undo() -> Response:
        """Take the last change of examples or rules back."""
        lesson.undo()
        return _learned_if(True, lesson)

    @app.post("/v1/lesson/redo", response_model=schemas.LessonReply)
    async def redo() -> Response:
        """Take an undo back."""
        lesson.redo()
        return _learned_if(True, lesson)


def _add_learning_routes(app: FastAPI, service: "Service", lesson: Lesson) -> None:
    limits = service.limits

    @app.post("/v1/lesson/learn", response_model=schemas.LessonReply)
    async def learn(request: schemas.LearnRequest) -> Response:
        """Learn the examples, in the background."""
        lesson.network = request.network
        return _learned_if(True, lesson)

    @app.post("/v1/lesson/cancel", response_model=schemas.LessonReply)
    async def cancel() -> Response:
        """End the learning that runs; the model from before goes on answering."""
        lesson.cancel()
        return as_json(_state(lesson))

    @app.post("/v1/lesson/try", response_model=schemas.TryReply)
    async def try_input(request: schemas.InputRequest) -> Response:
        """Answer an input by each engine, with its support in words."""
        _learned(lesson)
        model = service.model(LESSON)
        source = service.tokens(model, request.input, most=limits.shown)
        text = " ".join(request.input.split())
        answers = await model.call(lambda: [_answer(model.engines, name, source) for name in model.engines.names()])
        if text and text not in lesson.tries:
            lesson.tries.append(text)
        known = any(line.source == text for line in lesson.now.lines)
        return as_json({"input": text, "known": known, "answers": answers})

    @app.get("/v1/lesson/questions", response_model=schemas.QuestionsReply)
    async def questions(n: int = 3) -> Response:
        """Ask about the inputs that would teach most, each with the answers that come into question."""
        learned = _learned(lesson)
        split = learned.spelling.split
        skip = {split(text) for text in (*lesson.skipped, *(line.source for line in lesson.now.lines))}
        found = await run_in_threadpool(_questions, learned, max(1, min(n, limits.candidates)), skip)
        return as_json({"questions": found})

    @app.post("/v1/lesson/skip", response_model=schemas.LessonReply)
    async def skip_question(request: schemas.InputRequest) -> Response:
        """Do not ask about an input again."""
        if len(lesson.skipped) < limits.examples:
            lesson.skipped.add(" ".join(request.input.split()))
        return as_json(_state(lesson))

    @app.get("/v1/lesson/files/{what}", response_class=Response)
    async def files(what: What) -> Response:
        """Take something away: a translator, the examples, the rules, or the run folder."""
        content = await run_in_threadpool(take_away, what, _learned(lesson))
        named = {"content-disposition": f'attachment; filename="{what}"'}
        return Response(content, media_type=MEDIA[what], headers=named)


def _add_rule_routes(app: FastAPI, lesson: Lesson) -> None:
    @app.get("/v1/lesson/rules", response_model=schemas.LessonRulesReply)
    async def rules() -> Response:
        """Show the rules for people: categories, word rules, templates, each with the examples behind it."""
        learned = _learned(lesson)
        plain, join = learned.plain, learned.spelling.join_source
        pins = lesson.now.pins
        return as_json(await run_in_threadpool(lambda: readable_rules(plain.table, list(plain.traces()), pins, join)))

    @app.post("/v1/lesson/rules", response_model=schemas.LessonReply)
    async def set_rule(request: schemas.RuleRequest) -> Response:
        """Pin or forbid a rule; it is obeyed when answering, and examples that it contradicts are marked."""
        learned = _learned(lesson)
        left, right, like = (" ".join(text.split()) for text in (request.left, request.right, request.like))
        pin = Pin(request.action, request.kind, left, right, like)
        others = [
            old
            for old in lesson.now.pins
            if (old.kind, old.left, old.right) != (pin.kind, left, right)
            and not (old.action == pin.action == "pin" and (old.kind, old.left) == (pin.kind, left))
        ]
        if len(others) >= schemas.MOST_RULES:
            raise HTTPException(422, f"{schemas.MOST_RULES} rules by hand are enough; release one first")
        await run_in_threadpool(hand_of, [*others, pin], learned.plain.table)  # what cannot be is told at once
        lesson.change(pins=[*others, pin])
        return _learned_if(True, lesson)

    @app.post("/v1/lesson/rules/release", response_model=schemas.LessonReply)
    async def release_rule(request: schemas.ReleaseRequest) -> Response:
        """Let a pinned or forbidden rule be what was learned."""
        wanted = (request.kind, request.left, request.right)
        lesson.change(pins=[pin for pin in lesson.now.pins if (pin.kind, pin.left, pin.right) != wanted])
        return _learned_if(True, lesson)


def _learned(lesson: Lesson) -> LessonModel:
    if lesson.learned is None:
        raise HTTPException(409, "nothing is learned yet; give an example first")
    return lesson.learned


def _learned_if(wanted: bool, lesson: Lesson) -> Response:
    if wanted:
        lesson.start_learning()
    return as_json(_state(lesson))


def _kept_lines(lesson: Lesson, requested: Sequence[schemas.LineRequest]) -> list[Line]:
    """Keep the numbers of lines that a page knows; give others a number."""
    known = {line.id for line in lesson.now.lines}
    lines = []
    for each in requested:
        source, target = " ".join(each.source.split()), " ".join(each.target.split())
        if each.id in known:
            known.discard(each.id)
            lines.append(Line(each.id or 0, source, target))
        else:
            lines.append(lesson.new_line(source, target))
    return lines


def _state(lesson: Lesson) -> dict[str, Any]:
    marks = lesson.marks()
    learned = lesson.learned
    return {
        "number": lesson.number,
        "lines": [
            {**asdict(line), "marks": [asdict(mark) for mark in marks.get(line.id, ())]} for line in lesson.now.lines
        ],
        "pins": [asdict(pin) for pin in lesson.now.pins],
        "progress": asdict(lesson.progress),
        "model": None if learned is None else _summary(learned, lesson),
        "changes": [asdict(change) for change in lesson.changes],
        "can_undo": lesson.can_undo,
        "can_redo": lesson.can_redo,
        "network": lesson.network,
        "spelling": dict(zip(("tokens", "target_tokens", "lowercase"), lesson.now.spelling, strict=False)),
    }


def _summary(learned: LessonModel, lesson: Lesson) -> dict[str, Any]:
    summary = learned.engines.model.summary
    return {
        "engines": learned.engines.names(),
        "examples": summary.examples if summary else 0,
        "solved": summary.solved if summary else 0,
        "up_to_date": learned.lines == lesson.now.lines,
    }


def _answer(engines: Engines, name: str, source: tuple[str, ...]) -> dict[str, Any]:
    """Answer by one engine, and say in words how sure that is."""
    engine = engines.engine(name)
    (answer,) = translate(engine, [source], engines.most_words)
    spelling = engines.model.spelling
    output = None if answer.output is None else spelling.join(answer.output)
    if answer.error is not None:
        words = f"refused: {answer.error}"
    elif answer.support == 0:
        place = (refuse_unsupported(engine, answer).error or "").partition(f": {EXTRAPOLATED}")[0]
        words = f"extrapolated: no example shows what to do at {place}"
    else:
        words = "follows 1 example" if answer.support == 1 else f"follows {answer.support} examples"
    kind = "refused" if answer.error else "follows" if answer.support else "extrapolated"
    return {
        "engine": name,
        "output": output,
        "tokens": list(answer.output or ()),
        "support": answer.support,
        "kind": kind,
        "words": words,
    }


def _questions(learned: LessonModel, n: int, skip: set[tuple[str, ...]]) -> list[dict[str, Any]]:
    model = learned.engines.model
    engine = model.engine("rules")  # one of its own: others ask the model's at the same time
    if isinstance(engine, SourceEngine):
        return []
    join, join_source = model.spelling.join, model.spelling.join_source
    rivals = [obeying(table, model.hand) for table in model.survivors()]
    found = suggest(engine, model.table, list(model.traces()), n, skip, rivals)
    return [
        {"source": join_source(each.source), "reason": each.reason, "candidates": [join(c) for c in each.candidates]}
        for each in found
    ]
