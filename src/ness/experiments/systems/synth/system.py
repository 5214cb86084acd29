"""Synth as a system: meta-training on random grammars, then a grammar for the task, with and without search."""

import random
import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import torch

from ness.data.example import Example
from ness.errors import ConfigError, DataError
from ness.experiments.systems.interface import Fit, Report, System, Tokens, Training
from ness.experiments.systems.synth.coding import EpisodeCoder
from ness.experiments.systems.synth.episodes import KINDS
from ness.experiments.systems.synth.grammar import InterpretationGrammar
from ness.experiments.systems.synth.meta import SynthSettings, meta_trained, settings_of
from ness.experiments.systems.synth.network import SupportExamples, SynthNetwork
from ness.experiments.systems.synth.search import Naming, choose_shown, count_wrong, draw_naming

Notes = dict[str, Any]


class _Synth(System):
    """Reads examples with a meta-trained network; how a grammar comes of that is for the subclasses to say."""

    settings: SynthSettings
    _grammars: Sequence[InterpretationGrammar | None] = ()

    @classmethod
    def settings_for(cls, task: str) -> SynthSettings:
        return settings_of("fewshot" if task.startswith("fewshot") else "scan")

    def fit(self, training: Training, report: Report = lambda _: None) -> Fit:
        settings, started = self.settings, time.monotonic()
        coder = EpisodeCoder(KINDS[settings.kind])
        _check_sizes(training.examples, coder)
        network, curve = meta_trained(settings, training.device, training.seconds, report)
        devices = [torch.device(training.device)] if training.device.startswith("cuda") else []
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(training.seed)
            search = _Draws(network.eval(), coder, settings, training)
            self._grammars, ended, notes = self._find(search)
        wrong = [answer != one.target for one, answer in zip(training.examples, self._answer(training), strict=True)]
        return Fit(
            steps=curve[-1].step,
            accuracy=1 - sum(wrong) / len(wrong),
            seconds=time.monotonic() - started,
            parameters=sum(parameter.numel() for parameter in network.parameters()),
            ended=ended,
            curve=tuple(curve),
            notes=notes | {"seconds of meta-training, shared by all runs": round(curve[-1].seconds)},
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
    def _find(self, draws: "_Draws") -> tuple[list[InterpretationGrammar | None], str, Notes]:
        """Return grammars, how the search ended, and notes."""


class SynthGreedy(_Synth):
    """One greedy grammar for each draw of what is shown."""

    name = "synth-greedy"

    def _find(self, draws: "_Draws") -> tuple[list[InterpretationGrammar | None], str, Notes]:
        grammars = [draws.greedy(number) for number in range(self.settings.draws)]
        unreadable = sum(grammar is None for grammar in grammars)
        return grammars, "steps used up", {"draws": len(grammars), "no grammar": unreadable}


class Synth(_Synth):
    """Samples grammars until one explains all that is shown and then the whole training set."""

    name = "synth"

    def _find(self, draws: "_Draws") -> tuple[list[InterpretationGrammar | None], str, Notes]:
        best: InterpretationGrammar | None = None
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

    def __init__(self, network: SynthNetwork, coder: EpisodeCoder, settings: SynthSettings, training: Training) -> None:
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

    def greedy(self, number: int) -> InterpretationGrammar | None:
        """Write the likeliest grammar."""
        shown, naming = self.shown(number)
        (written,) = self._network.write(self._encode(naming.pairs(shown)), self._coder.kind.grammar)
        grammar = self._coder.read(written)
        return naming.restored(grammar) if grammar else None

    def sample(self, pairs: list[tuple[Tokens, Tokens]]) -> list[InterpretationGrammar]:
        """Draw a batch of different grammars."""
        drawn = self._network.write(self._encode(pairs), self._coder.kind.grammar, self._settings.samples)
        read = (self._coder.read(numbers) for numbers in dict.fromkeys(map(tuple, drawn)))
        return [grammar for grammar in read if grammar is not None]

    def _encode(self, pairs: list[tuple[Tokens, Tokens]]) -> SupportExamples:
        examples = self._coder.examples([pairs])
        return SupportExamples(examples.sources.to(self._training.device), examples.targets.to(self._training.device))


def _check_sizes(examples: Sequence[Example], coder: EpisodeCoder) -> None:
    if not examples:
        raise DataError("there are no training examples; give at least one")
    words = {word for example in examples for word in example.source}
    symbols = {symbol for example in examples for symbol in example.target}
    if len(words) > len(coder.words) or len(symbols) > len(coder.symbols):
        raise DataError(
            f"Synth knows grammars of {len(coder.words)} words and {len(coder.symbols)} output symbols; "
            f"this data has {len(words)} and {len(symbols)}: leave it out here"
        )
