"""Models by name: read from their run folders, read again when they were trained again, asked in batches."""

import logging
import os
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ness.answer.answers import Answer
from ness.answer.engine import AnyEngine, translate
from ness.answer.explain import refuse_unsupported
from ness.answer.n_best import WIDTH, BeamDecoder
from ness.answer.trace_view import answer_json
from ness.errors import ConfigError, NessError, StepLimitReached
from ness.machine import Word
from ness.model.model import Model
from ness.model.run_folder import MANIFEST, load_run
from ness.serve.batching import Batcher
from ness.serve.limits import Limits
from ness.serve.metrics import Metrics

if TYPE_CHECKING:
    from ness.answer.beam import Candidate

log = logging.getLogger("ness.serve")
LESSON = "lesson"  # the name of what is taught in the page
_CHECK_SECONDS = 1.0  # between two looks at a run folder
_QUICK_WORDS = 300  # that are translated without a change of threads
_SHOWN_OUTPUT = 2_000  # tokens of an output whose steps are shown
_PART = 50  # inputs between two looks at the clock


class AnswerOptions(NamedTuple):
    """How inputs are to be answered; requests that want the same are answered together."""

    engine: str | None = None
    strict: bool = False
    n_best: int = 1


class Reply(NamedTuple):
    """An answer, with other candidates where they were asked for."""

    answer: Answer
    candidates: "list[Candidate]"


class Engines:
    """The engines of one loaded model, made when first asked for; used by one thread at a time."""

    def __init__(self, model: Model, limits: Limits, device: str = "auto", default: str | None = None) -> None:
        """Answer by the engine `default` unless another one is asked for; without one, by what fits the model."""
        self.model = model
        self._default = default or model.default_engine.name
        self._limits = limits
        self._device = device
        self._made: dict[str, AnyEngine] = {}

    def names(self) -> list[str]:
        """List the engines, the one that answers by default first."""
        known = {"rules"} | ({"controller"} if self.model.has_controller else set())
        return [self._default, *sorted(known - {self._default})]

    def engine(self, name: str | None = None) -> AnyEngine:
        """Return an engine by name; by default the one that fits the model."""
        chosen = name or self._default
        if chosen == "controller" and not self.model.has_controller:
            raise ConfigError("this model has rules only; leave 'engine' out, or ask for 'rules'")
        if chosen not in self._made:
            self._made[chosen] = self.model.engine(chosen, self._device)
        return self._made[chosen]

    def answer(self, wanted: AnswerOptions, sources: Sequence[tuple[Word, ...]]) -> list[Reply]:
        """Translate sources as wanted; where that takes longer than a request may, nobody waits for it any more."""
        ends = time.monotonic() + self._limits.seconds
        replies: list[Reply] = []
        for start in range(0, len(sources), _PART):
            if time.monotonic() > ends:
                raise TimeoutError
            replies += self._answer_part(wanted, sources[start : start + _PART])
        return replies

    def _answer_part(self, wanted: AnswerOptions, sources: Sequence[tuple[Word, ...]]) -> list[Reply]:
        engine = self.engine(wanted.engine)
        answers = translate(engine, sources, self._limits.words)
        if wanted.strict:
            answers = [refuse_unsupported(engine, answer) for answer in answers]
        if wanted.n_best == 1:
            return [Reply(answer, []) for answer in answers]
        decoder = BeamDecoder(engine, max(WIDTH, wanted.n_best))
        return [Reply(answer, self._candidates(decoder, answer, wanted.n_best)) for answer in answers]

    def is_quick(self, wanted: AnswerOptions, sources: Sequence[tuple[Word, ...]]) -> bool:
        """Tell whether an answer takes a few milliseconds at most: short inputs, by rules that are at hand."""
        by_rules = (wanted.engine or self._default) == "rules" and "rules" in self._made
        return by_rules and not wanted.strict and wanted.n_best == 1 and sum(map(len, sources)) <= _QUICK_WORDS

    def _candidates(self, decoder: BeamDecoder, answer: Answer, most: int) -> "list[Candidate]":
        if answer.output is None:
            return []
        try:
            return decoder.candidates(answer.source)[:most]
        except StepLimitReached:
            return []

    def trace(self, source: tuple[Word, ...], name: str | None = None) -> dict[str, Any]:
        """Return the steps of an answer with their reasons, as `ness trace --json` does."""
        engine = self.engine(name)
        (answer,) = translate(engine, [source], _SHOWN_OUTPUT)
        return answer_json(engine, answer, 20 * self._limits.shown)

    @property
    def most_words(self) -> int:
        """The longest output that is given."""
        return self._limits.words

    def renewed(self, model: Model) -> "Engines":
        """Return the engines of another model under the same limits."""
        return Engines(model, self._limits, self._device)


class ServedModel:
    """A model behind a name, that can be replaced while it answers."""

    def __init__(self, name: str, engines: Engines, metrics: Metrics, path: Path | None = None) -> None:
        self.name = name
        self.engines = engines
        self.problem = ""  # why the folder could not be read again
        self._path = path
        self._seen = _stamp(path)
        self._checked = time.monotonic()
        self._metrics = metrics
        self._batcher: Batcher[AnswerOptions, tuple[Word, ...], Reply] = Batcher(
            lambda wanted, sources: self.engines.answer(wanted, sources),
            lambda wanted, sources: self.engines.is_quick(wanted, sources),
            lambda size: metrics.batches[(("model", name),)].observe(size),
            name,
        )

    async def answer(self, wanted: AnswerOptions, sources: Sequence[tuple[Word, ...]]) -> list[Reply]:
        """Translate, together with what others ask at the same time."""
        await self.refresh()
        replies = await self._batcher.ask(wanted, sources)
        for outcome, count in Counter(map(_outcome, replies)).items():
            self._metrics.inputs[(("model", self.name), ("outcome", outcome))] += count
        return replies

    async def call(self, function: Any, *arguments: Any) -> Any:
        """Run a function that uses the engines."""
        await self.refresh()
        return await self._batcher.call(function, *arguments)

    async def refresh(self) -> None:
        """Read the run again if it was trained again; a folder that cannot be read leaves the old model."""
        if self._path is None or time.monotonic() - self._checked < _CHECK_SECONDS:
            return
        self._checked = time.monotonic()
        stamp = _stamp(self._path)
        if stamp is None or stamp == self._seen:
            return
        try:
            model = await self._batcher.call(load_run, self._path)
        except NessError as error:  # it may be in the middle of being written: the next look tries again
            self.problem = str(error)
            log.warning("%s stays as it was: %s", self.name, error)
            return
        self.engines = self.engines.renewed(model)
        self._seen, self.problem = stamp, ""
        self._metrics.reloads[(("model", self.name),)] += 1
        log.info("%s was read again", self.name)

    def close(self) -> None:
        self._batcher.close()


def load_models(
    paths: Iterable[Path], limits: Limits, metrics: Metrics, device: str = "auto"
) -> dict[str, ServedModel]:
    """Read run folders; each is served under the name of its folder, a number added where two are the same."""
    models: dict[str, ServedModel] = {}
    for path in paths:
        name = base = Path(os.path.abspath(path)).name  # of a link that is moved to a new run, the link's own
        number = 1
        while name in models or name == LESSON:
            number += 1
            name = f"{base}-{number}"
        models[name] = ServedModel(name, Engines(load_run(path), limits, device), metrics, path)
    return models


def _outcome(reply: Reply) -> str:
    return "error" if reply.answer.error else "supported" if reply.answer.support else "extrapolated"


def _stamp(path: Path | None) -> tuple[int, int] | None:
    """Tell one state of a run folder from another: its manifest is written last."""
    try:
        facts = (path / MANIFEST).stat() if path else None
    except OSError:
        return None
    return (facts.st_mtime_ns, facts.st_ino) if facts else None
