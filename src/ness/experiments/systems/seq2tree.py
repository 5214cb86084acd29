"""Seq2tree (Dong & Lapata 2016): an LSTM reads the source backwards, another writes a tree level by level.

Each node is decoded from the state that announced it, and sees that state at every step (parent feeding).
"""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ness.data.example import Example
from ness.data.vocabulary import source_vocabulary, target_vocabulary
from ness.errors import ConfigError, DataError
from ness.experiments.systems.coding import Coder, bounded_batches, pad, random_batches
from ness.experiments.systems.interface import Fit, Point, Report, Settings, System, Tokens, Training
from ness.experiments.systems.seq2tree_levels import Rows, Symbols, batch_levels
from ness.experiments.systems.seq2tree_network import TreeNetwork
from ness.experiments.systems.trees import arities_of, language_of

_BATCH_TOKENS = 8192  # of sources and targets, scored together
_PREDICTED = 64  # sources decoded together


@dataclass(frozen=True, slots=True, kw_only=True)
class Seq2treeSettings(Settings):
    """As in Chen et al. 2018, but 64 examples a step instead of 20, and a rate that shrinks to nothing."""

    steps: int = 2500  # 16 epochs of 10,000 examples
    size: int = 256  # of embeddings and states
    dropout: float = 0.5
    rate: float = 0.005
    batch_size: int = 64
    clip_norm: float = 5.0
    spread: float = 0.1  # weights start between minus and plus this
    evaluate_every: int = 250
    checked: int = 1000  # training examples that a look at training accuracy takes in
    stop_loss: float = 0.0  # stop below this loss per symbol if all checked examples are right; 0: never


class Seq2tree(System):
    """Trains for its steps; a target that is no tree of a known language is one flat sequence."""

    name = "seq2tree"
    settings: Seq2treeSettings
    _network: TreeNetwork | None = None

    @classmethod
    def settings_for(cls, task: str) -> Seq2treeSettings:
        if task in ("cfg/while", "cfg/lambda"):  # 150 examples: 200 epochs
            return Seq2treeSettings(steps=1600, batch_size=20)
        if task.endswith(":std-50"):  # trees five times as deep, so that a step takes as much longer
            return Seq2treeSettings(steps=1000)
        return Seq2treeSettings()

    def fit(self, training: Training, report: Report = lambda _: None) -> Fit:
        if not training.examples:
            raise DataError("there are no training examples; give at least one")
        self._device = training.device
        examples = list(training.examples)
        language = language_of([example.target for example in examples])
        self._sources = Coder(source_vocabulary(examples))
        self._symbols = Symbols(target_vocabulary(examples), arities_of(language) if language else None)
        trees = [self._symbols.rows(example.target) for example in examples]
        self._longest = max(len(row.symbols) for tree in trees for level in tree for row in level)
        devices = [torch.device(training.device)] if training.device.startswith("cuda") else []
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(training.seed)
            self._network = TreeNetwork(self._sources.size, self._symbols.size, self.settings).to(training.device)
            return self._train(self._network, examples, trees, training, report)

    def predict(self, sources: Sequence[Tokens]) -> list[Tokens | None]:
        network = self._trained()
        answers: list[Tokens | None] = []
        for start in range(0, len(sources), _PREDICTED):
            some = sources[start : start + _PREDICTED]
            # A tree over a source has about as many nodes as the source has tokens; one that grows on is given up.
            limits = [4 * len(source) + 50 for source in some]
            trees = network.decode(self._read(some), limits, 2 * self._longest + 10)
            answers += [None if levels is None else self._symbols.read(levels) for levels in trees]
        return answers

    def correct(self, examples: Sequence[Example]) -> list[bool]:
        """Say of each example whether greedy decoding gives exactly its tree.

        It does if and only if the best next symbol after each prefix of each node is the target's own.
        """
        network = self._trained()
        right = [False] * len(examples)
        trees: dict[int, Rows] = {}
        for number, example in enumerate(examples):
            try:
                trees[number] = self._symbols.rows(example.target)
            except DataError:  # no tree: it cannot be the answer
                continue
        numbers = list(trees)
        lengths = [len(examples[number].source) + len(examples[number].target) for number in numbers]
        for batch in bounded_batches(lengths, _BATCH_TOKENS):
            chosen = [numbers[one] for one in batch]
            source = self._read([examples[number].source for number in chosen])
            for number, same in zip(
                chosen,
                network.reproduces(source, batch_levels([trees[number] for number in chosen], self._device)),
                strict=True,
            ):
                right[number] = same
        return right

    def _read(self, sources: Sequence[Tokens]) -> Tensor:
        """Number sources, backwards."""
        return pad([self._sources.encode(source[::-1]) for source in sources]).to(self._device)

    def _trained(self) -> TreeNetwork:
        if self._network is None:
            raise ConfigError("the system is not trained yet; call fit first")
        return self._network.eval()

    def _train(
        self,
        network: TreeNetwork,
        examples: list[Example],
        trees: list[Rows],
        training: Training,
        report: Report,
    ) -> Fit:
        settings, started = self.settings, time.monotonic()
        rng = random.Random(training.seed)
        checked = rng.sample(examples, min(settings.checked, len(examples)))
        optimiser = torch.optim.Adam(network.parameters(), lr=settings.rate)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / settings.steps)
        batches = random_batches([len(example.target) for example in examples], settings.batch_size, rng)
        losses = torch.zeros((), device=training.device)
        curve: list[Point] = []
        ended, step = "steps used up", 0
        for step in range(1, settings.steps + 1):
            numbers = next(batches)
            network.train()
            levels = batch_levels([trees[number] for number in numbers], training.device)
            loss = network.loss(self._read([examples[number].source for number in numbers]), levels)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), settings.clip_norm)
            optimiser.step()
            schedule.step()
            losses += loss.detach()
            late = time.monotonic() - started > training.seconds
            if step % settings.evaluate_every == 0 or step == settings.steps or late:
                since = step - (curve[-1].step if curve else 0)
                accuracy = sum(self.correct(checked)) / len(checked)
                curve.append(Point(step, losses.item() / since, accuracy, time.monotonic() - started))
                losses.zero_()
                report(curve[-1])
                if accuracy == 1.0 and curve[-1].loss < settings.stop_loss:
                    ended = "converged"
                    break
                if late:
                    ended = "out of time"
                    break
        parameters = sum(parameter.numel() for parameter in network.parameters())
        return Fit(step, curve[-1].accuracy or 0.0, curve[-1].seconds, parameters, ended, curve=tuple(curve))
