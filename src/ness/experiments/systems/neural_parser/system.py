"""The Neural Parser as a system: lessons by length, each with its two phases."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch

from ness.data.lessons import by_length
from ness.data.parsing import LANGUAGES
from ness.errors import ConfigError, DataError
from ness.experiments.systems.interface import Fit, Point, Report, Settings, System, Tokens, Training
from ness.experiments.systems.neural_parser.machine import ParserAction, ParserStatus, Places, Roots, parse
from ness.experiments.systems.neural_parser.network import ParserCoder, ParserNetwork, RememberedScores
from ness.experiments.systems.neural_parser.phase_one import Trace, TreeSample, find_traces
from ness.experiments.systems.neural_parser.phase_two import (
    Candidates,
    ImitationLimits,
    RememberedPolicy,
    contradicts,
    imitate,
    majority,
    settle,
)
from ness.experiments.systems.trees import arities_of, language_of

_EXTRA = 0.1  # added to the probabilities in the search for traces
_CONTRADICTION = 5.0  # how much less likely a trace is for each decision that other samples make differently
_RESTART_EVERY = 5  # failed attempts
_FRAME_LIMITS = {"while": 3, "lambda": 4}  # as published


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserSettings(Settings):
    """As published, but for the steps: one step sees all the decisions of the drawn traces."""

    steps: int = 600  # for one draw of traces
    size: int = 50
    rate: float = 0.01
    clip_norm: float = 5.0
    spread: float = 0.1  # weights start between minus and plus this
    loss: float = 0.001  # training on drawn traces ends below this
    traces: int = 4  # kept of each sample
    sample_steps: int = 30  # after each sample that the search had to parse
    rounds: int = 200  # of settling on traces that do not contradict each other
    attempts: int = 20  # draws of traces in a lesson
    theta_rate: float = 1.0
    second_looks: int = 2  # at traces that a single sample has


class NeuralParser(System):
    """Learns to drive the parsing machine from pairs of inputs and trees."""

    name = "neural-parser"
    settings: ParserSettings

    @classmethod
    def settings_for(cls, task: str) -> Settings:
        return ParserSettings()

    def fit(self, training: Training, report: Report = lambda _: None) -> Fit:
        language = language_of([example.target for example in training.examples])
        if language is None:
            raise DataError(f"the Neural Parser needs trees of {' or '.join(LANGUAGES)} as targets; leave it out here")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(training.seed)
            lessons = _Lessons(self.settings, training, report, _FRAME_LIMITS[language.name])
            fit = lessons.learn(arities_of(language))
        self._policy = lessons.policy
        return fit

    def predict(self, sources: Sequence[Tokens]) -> list[Tokens | None]:
        if not hasattr(self, "_policy"):
            raise ConfigError("the system is not trained yet; call fit first")
        return [parse(source, self._policy) for source in sources]


class _Lessons:
    """One training: the samples so far with their traces, the network and its restarts."""

    def __init__(self, settings: ParserSettings, training: Training, report: Report, frame_limit: int) -> None:
        self._settings, self._training, self._report = settings, training, report
        self._rng = random.Random(training.seed)
        self._started = time.monotonic()
        self._deadline = self._started + training.seconds
        self._known: list[Candidates] = []
        self._restarts = self._unsolved = self._steps = 0
        self._failed: list[int] = []  # lengths of lessons that the network could not follow
        self._losses: list[float] = []
        self._curve: list[Point] = []
        tokens = sorted({token for example in training.examples for token in example.source})
        labels = sorted({token for example in training.examples for token in example.target} - set(tokens))
        self._coder = ParserCoder(tokens, labels, frame_limit)
        self._restart()

    def _restart(self) -> None:
        self._network = ParserNetwork(self._coder, self._settings.size, self._settings.spread)
        self._forget()

    def _forget(self) -> None:
        """Drop what was remembered of a network that has changed since."""
        self.policy = RememberedPolicy(self._network)
        self._scores = RememberedScores(self._network, _EXTRA)

    def learn(self, arities: Mapping[str, int]) -> Fit:
        """Take the lessons one after the other."""
        for lesson in by_length(self._training.examples):
            if time.monotonic() > self._deadline:
                break
            new = [TreeSample(*example, arities) for example in lesson]
            if not self._gather(new) and not self._choose():
                self._failed.append(len(lesson[0].source))
            right = sum(parse(example.source, self.policy) == example.target for example in lesson)
            loss = sum(self._losses) / len(self._losses) if self._losses else 0.0
            self._curve.append(Point(self._steps, loss, right / len(lesson), time.monotonic() - self._started))
            self._report(self._curve[-1])
            self._losses = []
        for _ in range(self._settings.second_looks):
            if time.monotonic() > self._deadline or not self._look_again():
                break
        self._learn_afresh()
        return self._fit()

    def _look_again(self) -> bool:
        """Search traces anew for samples that use a REDUCE no other sample uses; say whether they changed.

        A network that never saw those traces judges them, so an odd one that fits a single sample loses to one that
        does as the others do.
        """
        network, known = self._network, self._known
        traces = [self.policy.trace(one.sample) or one.traces[one.likeliest()] for one in known]
        users = Counter(rule for trace in traces for rule in _rules(trace))
        rare = [any(users[rule] == 1 for rule in _rules(trace)) for trace in traces]
        if not any(rare) or all(rare):
            return False
        kept = [trace for trace, odd in zip(traces, rare, strict=True) if not odd]
        self._restart()
        self._imitate(kept, self._settings.steps)
        changed = False
        self._known = []
        for one, trace, odd in zip(known, traces, rare, strict=True):
            found = self._search(one.sample, kept) if odd else None
            self._known.append(found or Candidates(one.sample, [trace], [0.0]))
            changed |= found is not None and found.traces[found.likeliest()] != trace
        if not changed or not self._choose():
            self._network, self._known = network, known
            self._forget()
            return False
        return True

    def _learn_afresh(self) -> None:
        """Let a new network learn the final traces, with all of its steps.

        The old one was trained just long enough after each lesson, also on traces that were given up since, and may
        decide oddly where no trace tells.
        """
        network = self._network
        traces = [self.policy.trace(one.sample) or one.traces[one.likeliest()] for one in self._known]
        self._restart()
        if not self._imitate(traces, self._settings.steps, loss=0.0):
            self._network = network
            self._forget()

    def _gather(self, samples: Sequence[TreeSample]) -> bool:
        """Phase one: find traces of new samples; say whether the network parsed all of them already."""
        all_parsed = True
        for sample in samples:
            trace = self.policy.trace(sample)
            if trace is not None:
                self._known.append(Candidates(sample, [trace], [0.0]))
                continue
            all_parsed = False
            if found := self._search(sample, self._likeliest()):
                self._known.append(found)
                # So that the next samples are parsed alike.
                self._imitate(self._likeliest(), self._settings.sample_steps)
            else:
                self._unsolved += 1
        return all_parsed

    def _search(self, sample: TreeSample, others: Iterable[Trace]) -> Candidates | None:
        """Find traces of a sample that contradict those of other samples as little as can be."""
        table = majority(others)

        def scores(status: ParserStatus) -> Callable[[ParserAction], float]:
            score = self._scores(status)
            return lambda action: score(action) - _CONTRADICTION * contradicts(table, (status, action))

        found = find_traces(sample, scores, self._coder.frame_limit, self._settings.traces)
        return Candidates(sample, [one.trace for one in found], [one.score for one in found]) if found else None

    def _likeliest(self) -> list[Trace]:
        return [one.traces[one.likeliest()] for one in self._known]

    def _choose(self) -> bool:
        """Phase two: draw traces and learn them until every sample so far is parsed; say whether it came to that."""
        settings = self._settings
        for attempt in range(settings.attempts):
            settle(self._known, settings.rounds, settings.theta_rate, self._rng)
            if attempt and attempt % _RESTART_EVERY == 0:  # what was learned from bad draws may be in the way
                self._restart()
                self._restarts += 1
            drawn = [one.draw(self._rng) for one in self._known]
            traces = [one.traces[number] for one, number in zip(self._known, drawn, strict=True)]
            if self._imitate(traces, settings.steps):
                return True
            if time.monotonic() > self._deadline:
                return False
            self.policy.decide([status for trace in traces for status, _ in trace])
            wrong = [
                number
                for number, one in enumerate(self._known)
                if parse(one.sample.source, self.policy) != one.sample.target
            ]
            if not wrong:
                return True
            right = [trace for number, trace in enumerate(traces) if number not in set(wrong)]
            for number in wrong:
                one = self._known[number]
                one.discourage(drawn[number], settings.theta_rate)
                if found := self._search(one.sample, right):
                    one.add(found.traces)
        return False

    def _imitate(self, traces: Sequence[Trace], steps: int, loss: float | None = None) -> bool:
        settings = self._settings
        enough = settings.loss if loss is None else loss
        limits = ImitationLimits(settings.rate, settings.clip_norm, steps, enough, self._deadline)
        followed = imitate(self._network, traces, limits, self._note)
        self._forget()
        return followed

    def _note(self, loss: float) -> None:
        self._steps += 1
        self._losses.append(loss)

    def _fit(self) -> Fit:
        examples = self._training.examples
        right = sum(parse(example.source, self.policy) == example.target for example in examples)
        late = time.monotonic() > self._deadline
        ended = "converged" if right == len(examples) else "out of time" if late else "attempts used up"
        return Fit(
            steps=self._steps,
            accuracy=right / len(examples),
            seconds=time.monotonic() - self._started,
            parameters=sum(parameter.numel() for parameter in self._network.parameters()),
            ended=ended,
            restarts=self._restarts,
            curve=tuple(self._curve),
            notes={"samples without a trace": self._unsolved, "lessons not learned": len(self._failed)},
        )


def _rules(trace: Trace) -> set[tuple[Roots, str, Places]]:
    """Collect what REDUCE makes of which frames."""
    return {(status.top, action.label, action.places) for status, action in trace if action.label}
