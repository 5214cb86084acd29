"""Synth as a system: meta-training on random grammars, then a grammar for the task, with and without search."""

import os
import random
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ness.data.example import Example
from ness.errors import ConfigError, DataError
from ness.experiments.systems.interface import Fit, Point, Report, Settings, System, Tokens, Training
from ness.experiments.systems.synth.coding import Coder, Pool, draw_episodes
from ness.experiments.systems.synth.episodes import KINDS
from ness.experiments.systems.synth.grammar import Grammar
from ness.experiments.systems.synth.network import Examples, SynthNetwork
from ness.experiments.systems.synth.search import Naming, choose_shown, count_wrong, draw_naming

_HELD_OUT = 64  # random grammars that the curve is measured on


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthSettings(Settings):
    """As published, but for the number of steps and for the stored episodes."""

    steps: int = 20_000  # of meta-training; the original: 1,000,000 at most
    kind: str = "scan"  # of the random grammars: scan or fewshot
    size: int = 200
    dropout: float = 0.1
    rate: float = 1e-3
    batch_size: int = 128  # grammars a step
    clip_norm: float = 400.0
    episodes: int = 50_000  # drawn once, renamed at each use
    workers: int = 0  # processes that draw episodes; 0: one for each core
    evaluate_every: int = 500
    shown: int = 100  # training examples that the network is shown
    draws: int = 20  # of what is shown
    batches: int = 60  # of sampled grammars for one draw, in the search
    samples: int = 128  # grammars in a batch
    weights: str = ""  # a file of meta-trained weights: read if it is there, else written

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        if self.kind not in KINDS:
            raise ConfigError(f"'kind' must be {' or '.join(KINDS)}, not '{self.kind}'")


Notes = dict[str, Any]


class _Synth(System):
    """Reads examples with a meta-trained network; how a grammar comes of that is for the subclasses to say."""

    settings: SynthSettings
    _grammars: Sequence[Grammar | None] = ()

    @classmethod
    def settings_for(cls, task: str) -> SynthSettings:
        if task.startswith("fewshot"):
            return SynthSettings(kind="fewshot", steps=10_000, draws=5)
        return SynthSettings()

    def fit(self, training: Training, report: Report = lambda _: None) -> Fit:
        settings, started = self.settings, time.monotonic()
        coder = Coder(KINDS[settings.kind])
        _check_sizes(training.examples, coder)
        devices = [torch.device(training.device)] if training.device.startswith("cuda") else []
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(training.seed)
            network = SynthNetwork(*coder.sizes, settings.size, settings.dropout).to(training.device)
            curve = _meta_train(network, coder, settings, training, report)
            search = _Draws(network.eval(), coder, settings, training)
            self._grammars, ended, notes = self._find(search)
        wrong = [answer != one.target for one, answer in zip(training.examples, self._answer(training), strict=True)]
        return Fit(
            steps=curve[-1].step if curve else 0,
            accuracy=1 - sum(wrong) / len(wrong),
            seconds=time.monotonic() - started,
            parameters=sum(parameter.numel() for parameter in network.parameters()),
            ended=ended,
            curve=tuple(curve),
            notes=notes | ({} if curve else {"meta-training": f"weights from {Path(settings.weights).name}"}),
        )

    def predict(self, sources: Sequence[Tokens]) -> list[Tokens | None]:
        """Interpret sources; if there are several grammars, they take turns, so the accuracy is their mean."""
        if not self._grammars:
            raise ConfigError("the system is not trained yet; call fit first")
        answers = []
        for number, source in enumerate(sources):
            grammar = self._grammars[number % len(self._grammars)]
            answers.append(grammar.interpret(source) if grammar else None)
        return answers

    def _answer(self, training: Training) -> list[Tokens | None]:
        return self.predict([example.source for example in training.examples])

    @abstractmethod
    def _find(self, draws: "_Draws") -> tuple[list[Grammar | None], str, Notes]:
        """Return grammars, how the search ended, and notes."""


class SynthGreedy(_Synth):
    """One greedy grammar for each draw of what is shown."""

    name = "synth-greedy"

    def _find(self, draws: "_Draws") -> tuple[list[Grammar | None], str, Notes]:
        grammars = [draws.greedy(number) for number in range(self.settings.draws)]
        unreadable = sum(grammar is None for grammar in grammars)
        return grammars, "steps used up", {"draws": len(grammars), "no grammar": unreadable}


class Synth(_Synth):
    """Samples grammars until one explains all that is shown and then the whole training set."""

    name = "synth"

    def _find(self, draws: "_Draws") -> tuple[list[Grammar | None], str, Notes]:
        best: Grammar | None = None
        fewest = len(draws.examples) + 1
        sampled = 0
        for number in range(self.settings.draws):
            shown, naming = draws.shown(number)
            pairs = naming.pairs(shown)
            for _ in range(self.settings.batches):
                if draws.is_late():
                    return [best], "out of time", {"grammars sampled": sampled, "training errors": fewest}
                for grammar in draws.sample(pairs):
                    sampled += 1
                    if count_wrong(grammar, pairs, 0):
                        continue
                    restored = naming.restored(grammar)
                    wrong = count_wrong(restored, draws.examples, fewest)
                    if wrong < fewest:
                        best, fewest = restored, wrong
                    if not wrong:
                        notes = {"grammars sampled": sampled, "draws": number + 1, "rules": len(restored.rules)}
                        return [best], "converged", notes
        if best is None:  # nothing explains what was shown: the likeliest grammar answers
            best = draws.greedy(0)
        return [best], "samples used up", {"grammars sampled": sampled, "draws": self.settings.draws}


class _Draws:
    """A meta-trained network with a training set: what is shown, and the grammars that come of it."""

    def __init__(self, network: SynthNetwork, coder: Coder, settings: SynthSettings, training: Training) -> None:
        self._network, self._coder, self._settings, self._training = network, coder, settings, training
        self._deadline = time.monotonic() + training.seconds
        self.examples = list(dict.fromkeys(training.examples))

    def is_late(self) -> bool:
        return time.monotonic() > self._deadline

    def shown(self, number: int) -> tuple[list[Example], Naming]:
        """Draw what is shown, and the names that the network sees."""
        rng = random.Random(f"shown {self._training.seed} {number}")
        scan = self._training.task.startswith("scan/")
        return (
            choose_shown(self.examples, self._settings.shown, scan, rng),
            draw_naming(self.examples, self._coder, rng),
        )

    def greedy(self, number: int) -> Grammar | None:
        """Write the likeliest grammar."""
        shown, naming = self.shown(number)
        (written,) = self._network.write(self._encode(naming.pairs(shown)), self._coder.kind.grammar)
        grammar = self._coder.read(written)
        return naming.restored(grammar) if grammar else None

    def sample(self, pairs: list[tuple[Tokens, Tokens]]) -> list[Grammar]:
        """Draw a batch of different grammars."""
        drawn = self._network.write(self._encode(pairs), self._coder.kind.grammar, self._settings.samples)
        read = (self._coder.read(numbers) for numbers in dict.fromkeys(map(tuple, drawn)))
        return [grammar for grammar in read if grammar is not None]

    def _encode(self, pairs: list[tuple[Tokens, Tokens]]) -> Examples:
        examples = self._coder.examples([pairs])
        return Examples(examples.sources.to(self._training.device), examples.targets.to(self._training.device))


def _check_sizes(examples: Sequence[Example], coder: Coder) -> None:
    if not examples:
        raise DataError("there are no training examples; give at least one")
    words = {word for example in examples for word in example.source}
    symbols = {symbol for example in examples for symbol in example.target}
    if len(words) > len(coder.words) or len(symbols) > len(coder.symbols):
        raise DataError(
            f"Synth knows grammars of {len(coder.words)} words and {len(coder.symbols)} output symbols; "
            f"this data has {len(words)} and {len(symbols)}: leave it out here"
        )


def _meta_train(
    network: SynthNetwork, coder: Coder, settings: SynthSettings, training: Training, report: Report
) -> list[Point]:
    """Train on random grammars, or read weights; the curve shows how many unseen grammars are explained greedily."""
    file = Path(settings.weights)
    if settings.weights and file.exists():
        network.load_state_dict(torch.load(file, map_location=training.device, weights_only=True))
        return []
    started = time.monotonic()
    workers = settings.workers or os.cpu_count() or 1
    episodes = draw_episodes(coder.kind, settings.episodes + _HELD_OUT, training.seed, workers)
    pool, unseen = Pool(episodes[_HELD_OUT:], coder, training.device), episodes[:_HELD_OUT]
    held_out = coder.examples([episode.pairs for episode in unseen])
    held_out = Examples(held_out.sources.to(training.device), held_out.targets.to(training.device))
    optimiser = torch.optim.Adam(network.parameters(), lr=settings.rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - 0.9 * step / settings.steps)
    losses = torch.zeros((), device=training.device)
    curve: list[Point] = []
    for step in range(1, settings.steps + 1):
        network.train()
        loss = network.loss(*pool.draw(settings.batch_size))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), settings.clip_norm)
        optimiser.step()
        schedule.step()
        losses += loss.detach()
        late = time.monotonic() - started > training.seconds
        if step % settings.evaluate_every == 0 or step == settings.steps or late:
            written = network.eval().write(held_out, coder.kind.grammar)
            read = [coder.read(numbers) for numbers in written]
            explained = [
                grammar is not None and not count_wrong(grammar, episode.pairs, 0)
                for grammar, episode in zip(read, unseen, strict=True)
            ]
            since = step - (curve[-1].step if curve else 0)
            accuracy = sum(explained) / len(explained)
            curve.append(Point(step, losses.item() / since, accuracy, time.monotonic() - started))
            losses.zero_()
            report(curve[-1])
        if late:
            break
    if settings.weights:
        file.parent.mkdir(parents=True, exist_ok=True)
        torch.save(network.state_dict(), file)
    return curve
