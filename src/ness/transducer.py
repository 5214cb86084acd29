"""The Python interface: a `Transducer` follows scikit-learn's conventions without needing scikit-learn.

    model = Transducer().fit(["walk", "walk twice"], ["WALK", "WALK WALK"])
    model.predict(["walk twice"])

Sources and targets are strings, cut as `tokens` says, or lists of tokens; or a frame or list has both. Torch is
imported when a network is trained or loaded, not before.
"""

import inspect
import io
import json
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ness.answer.trace_view import answer_json, draw_trace
from ness.config import Config
from ness.data.spelling import KINDS, Spelling
from ness.data.texts import Text, column, examples_in, sources_in
from ness.errors import ConfigError, DataError, LearningWarning, NotFitted
from ness.rules.table import RuleTable
from ness.settings import resolve

if TYPE_CHECKING:
    from ness.answer.answers import Answer
    from ness.answer.engine import AnyEngine
    from ness.answer.suggest import Suggestion
    from ness.learn.events import Report
    from ness.model.model import Model

_MOST_STEPS = 1000  # of a trace that is shown


class Transducer:
    """Learns to translate sequences from examples; exact on what it learned, silent on what it did not."""

    def __init__(
        self,
        *,
        rules_only: bool = False,
        engine: str | None = None,
        strict: bool = False,
        tokens: str = "words",
        target_tokens: str | None = None,
        lowercase: bool = False,
        seed: int = 0,
        preset: str | None = None,
        settings: Mapping[str, Any] | None = None,
        time_limit: float | None = None,
        device: str = "auto",
    ) -> None:
        """Keep the parameters; nothing happens before `fit`.

        rules_only: train no network. engine: "controller" or "rules"; by default see `model_.default_engine`.
        strict: refuse answers that no training trace supports. tokens: how strings are cut, "words", "characters" or
        "punctuation"; target_tokens: the targets, where that differs. lowercase: of sources.
        settings: as `--set`, {"search.nodes": 5000}.
        """
        self.rules_only = rules_only
        self.engine = engine
        self.strict = strict
        self.tokens = tokens
        self.target_tokens = target_tokens
        self.lowercase = lowercase
        self.seed = seed
        self.preset = preset
        self.settings = settings
        self.time_limit = time_limit
        self.device = device

    def fit(self, X: Any, y: Iterable[Text] | None = None, progress: "Report | None" = None) -> "Transducer":
        """Learn from sources and their targets; warn where some of them were not learned (`report_` tells all).

        Without `y`, X has both: a data frame, a mapping, a list of pairs or the path of a file.
        """
        from ness.learn.events import ignore
        from ness.model.report import headline
        from ness.model.train import train

        self._check()
        examples, spelling = examples_in(X, y, self._spelling(), fit=True)
        model = train(
            examples,
            self._config(),
            spelling=spelling,
            rules_only=self.rules_only,
            device=self.device,
            progress=progress or ignore,
        )
        self._use(model)
        summary = model.summary
        if summary.unsolved or summary.memorised or summary.contradictory or summary.suspicious:
            left_out = f", {len(summary.contradictory)} contradictory" if summary.contradictory else ""
            counts = " ".join(headline(summary).split())
            warnings.warn(f"{counts}{left_out}; report_ says which and why", LearningWarning, stacklevel=2)
        return self

    @property
    def report_(self) -> str:
        """How learning went, in words: what was learned, what not and why, what the answers rest on."""
        from ness.model.report import report

        return "\n".join(report(self._fitted()))

    def predict(self, X: Any) -> list[str | list[str] | None]:
        """Translate each source; None where there is no answer (`answers` says why)."""
        sources, join = column(X), self._fitted().spelling.join
        answers = self.answers(sources)
        return [_like(source, answer.output, join) for source, answer in zip(sources, answers, strict=True)]

    def answers(self, X: Any) -> "list[Answer]":
        """Translate each source; an answer has output or error, support, probability and trace."""
        from ness.answer.engine import translate
        from ness.answer.explain import refuse_unsupported

        engine = self._engine()
        found = translate(engine, sources_in(X, self._fitted().spelling))
        return [refuse_unsupported(engine, answer) for answer in found] if self.strict else found

    def n_best(self, X: Any, n: int = 5, width: int = 20) -> list[list[tuple[str | list[str], float]]]:
        """Return up to n answers with their probabilities for each source, likeliest first."""
        from ness.answer.explain import refuse_unsupported
        from ness.answer.n_best import BeamDecoder

        engine = self._engine()
        decoder = BeamDecoder(engine, max(width, n))
        found = []
        spelling, texts = self._fitted().spelling, column(X)
        for text, source in zip(texts, sources_in(texts, spelling), strict=True):
            best = decoder.answers(source)
            if self.strict:
                best = [one._replace(answer=refuse_unsupported(engine, one.answer)) for one in best]
            kept = [one for one in best if one.answer.output is not None][:n]
            outputs = [_like(text, one.answer.output, spelling.join) or "" for one in kept]
            found.append([(output, one.probability) for output, one in zip(outputs, kept, strict=True)])
        return found

    def score(self, X: Any, y: Iterable[Text] | None = None) -> float:
        """Return the share of sources whose translation is exactly the target."""
        examples, _ = examples_in(X, y, self._fitted().spelling)
        if not examples:
            raise DataError("there is nothing to score; give at least one source with its target")
        answers = self.answers([example.source for example in examples])
        right = sum(answer.output == example.target for example, answer in zip(examples, answers, strict=True))
        return right / len(examples)

    def trace(self, source: Text) -> "TraceView":
        """Show how a source is translated, step by step."""
        (answer,) = self.answers([source])
        return TraceView(answer_json(self._engine(), answer, _MOST_STEPS))

    def suggest(self, pool: Iterable[Text] | None = None, n: int = 10) -> "list[Suggestion]":
        """Name inputs whose outputs would teach most, and why; of the pool, or made of parts of the examples."""
        from ness.model.questions import suggest

        model = self._fitted()
        return suggest(model, None if pool is None else sources_in(pool, model.spelling), n)

    @property
    def rules(self) -> "RulesView":
        """What was learned, readable."""
        return RulesView(self._fitted().table)

    def save(self, path: str | Path) -> None:
        """Write the model to a folder, as `ness train` does."""
        from ness.model.run_folder import save_run

        save_run(Path(path), self._fitted())

    @classmethod
    def load(cls, path: str | Path, engine: str | None = None, device: str = "auto") -> "Transducer":
        """Read a model that `save` or `ness train` wrote; nothing in it is executed."""
        from ness.model.run_folder import load_run

        run = load_run(Path(path))
        spelling = run.spelling
        loaded = cls(
            rules_only=not run.has_controller,
            engine=engine,
            tokens=spelling.source,
            target_tokens=None if spelling.target == spelling.source else spelling.target,
            lowercase=spelling.lowercase,
            seed=run.config.seed,
            device=device,
        )
        loaded._use(run)
        return loaded

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as scikit-learn expects."""
        return {name: getattr(self, name) for name in _parameters(type(self))}

    def set_params(self, **params: Any) -> "Transducer":
        """Change parameters by name."""
        known = _parameters(type(self))
        for name, value in params.items():
            if name not in known:
                raise ConfigError(f"Unknown parameter '{name}'; parameters: {', '.join(known)}")
            setattr(self, name, value)
        self._engines: dict[str, AnyEngine] = {}
        return self

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this is; only scikit-learn asks."""
        from sklearn.utils import InputTags, Tags, TargetTags

        inputs = InputTags(one_d_array=True, two_d_array=False, string=True)
        return Tags(estimator_type=None, target_tags=TargetTags(required=True), input_tags=inputs)

    def __repr__(self) -> str:
        defaults = {name: each.default for name, each in inspect.signature(type(self)).parameters.items()}
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name]]
        return f"Transducer({', '.join(changed)})"

    def _check(self) -> None:
        """Refuse wrong parameters before anything is learned; scikit-learn wants that in `fit`, not earlier."""
        if self.engine not in (None, "controller", "rules"):
            raise ConfigError(f"Unknown engine {self.engine!r}; use 'controller' or 'rules', or leave it out")
        if self.engine == "controller" and self.rules_only:
            raise ConfigError("engine='controller' needs a network; leave out rules_only=True, or use engine='rules'")
        if isinstance(self.seed, bool) or not isinstance(self.seed, Integral):
            raise ConfigError(f"seed is a whole number, not {self.seed!r:.60}")
        limit = self.time_limit
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, Real) or not limit > 0):
            raise ConfigError(f"time_limit is a number of seconds above 0, not {limit!r:.60}")
        for kind in (self.tokens, self.target_tokens or self.tokens):
            if kind not in KINDS:
                raise ConfigError(f"Unknown kind of tokens {kind!r}; use {', '.join(map(repr, KINDS))}")
        for name in ("rules_only", "strict", "lowercase"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name} is True or False, not {getattr(self, name)!r:.60}")

    def _config(self) -> Config:
        overrides = [f"{key}={'none' if value is None else json.dumps(value)}" for key, value in _items(self.settings)]
        config = resolve(self.preset, overrides, int(self.seed))
        if self.time_limit is None:
            return config
        return replace(config, learner=replace(config.learner, time_limit=float(self.time_limit)))

    def _spelling(self) -> Spelling:
        return Spelling(self.tokens, self.target_tokens or self.tokens, self.lowercase)

    def _use(self, model: "Model") -> None:
        self.model_ = model
        self._engines = {}

    def _fitted(self) -> "Model":
        if not hasattr(self, "model_"):
            raise _not_fitted("This Transducer is not trained; call fit(sources, targets) first, or Transducer.load")
        return self.model_

    def _engine(self) -> "AnyEngine":
        model = self._fitted()
        name = self.engine or model.default_engine.name
        if name not in self._engines:
            self._engines[name] = model.engine(name, self.device)
        return self._engines[name]


@dataclass(frozen=True)
class TraceView:
    """An execution to look at: printed as a drawing, shown as a table in notebooks; `data` is the trace as JSON."""

    data: dict[str, Any]

    @property
    def output(self) -> list[str] | None:
        found: list[str] | None = self.data["output"]
        return found

    def __str__(self) -> str:
        from rich.console import Console

        from ness.answer.explain import brief

        text = io.StringIO()
        steps = [{**step, "reason": brief(step["reason"])} for step in self.data["steps"]]
        draw_trace(Console(file=text, width=110), {**self.data, "steps": steps})
        return text.getvalue() + (f"error: {self.data['error']}\n" if "error" in self.data else "")

    def _repr_html_(self) -> str:
        from ness.web import render_fragment

        return render_fragment(self.data, self.data.get("error", ""))

    def html(self) -> str:
        """Return a page of its own that steps through the execution."""
        from ness.web import render_html, title_of

        return render_html(self.data, title_of(self.data["source"]))


@dataclass(frozen=True)
class RulesView:
    """Rules to look at: printed as text, folded in notebooks; `table` has them as data."""

    table: RuleTable

    def __str__(self) -> str:
        from ness.rules.text import format_rules

        return format_rules(self.table)

    def _repr_html_(self) -> str:
        from ness.web import render_rules_fragment

        return render_rules_fragment(self.table)


def _not_fitted(message: str) -> NotFitted:
    """Make the error that scikit-learn knows, where it is installed."""
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return NotFitted(message)
    kind = type("NotFitted", (NotFitted, NotFittedError), {"__doc__": NotFitted.__doc__})
    error: NotFitted = kind(message)
    return error


def _parameters(kind: type[Transducer]) -> list[str]:
    return list(inspect.signature(kind).parameters)


def _items(settings: Mapping[str, Any] | None) -> Iterable[tuple[str, Any]]:
    if settings is not None and not isinstance(settings, Mapping):
        raise ConfigError("settings is a mapping of names to values, as in {'search.nodes': 5000}")
    return (settings or {}).items()


def _like(source: Text, output: tuple[str, ...] | None, join: Callable[[Iterable[str]], str]) -> str | list[str] | None:
    """Return an output in the form of its source: a string, or a list of tokens."""
    if output is None:
        return None
    return join(output) if isinstance(source, str) else list(output)
