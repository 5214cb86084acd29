"""Losses of the operator, argument and category predictors over one batch, with the greedy decisions counted."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from ness.network.batches import Arguments, Batch, BatchLevel
from ness.network.concat_reading import read_concats
from ness.network.concat_steps import ConcatSteps, Pointing
from ness.network.controller import PHRASE_CATEGORY, Bank, Controller
from ness.network.forcing import logits_inside, pointer_logits
from ness.network.layers import MASKED, PointerNetwork, columns, pick

NAMES = ("operator", "reduce", "concat_m", "concat_s", "source_category", "target_category")
CERTAIN = 1e-6  # an input whose targets have less entropy than this is deterministic


@dataclass(slots=True)
class Losses:
    """Sums by predictor: weighted loss, its floor, weights; and greedy decisions right and asked for."""

    sums: dict[str, Tensor] = field(default_factory=dict)
    floors: dict[str, Tensor] = field(default_factory=dict)
    weights: dict[str, Tensor] = field(default_factory=dict)
    right: dict[str, Tensor] = field(default_factory=dict)
    asked: dict[str, Tensor] = field(default_factory=dict)

    def add(self, name: str, losses: Tensor, floors: Tensor, weights: Tensor, right: Tensor) -> None:
        """Add rows [n]: only rows without noise, that is with no floor, count as right or wrong."""
        certain = floors < CERTAIN
        for table, value in (
            (self.sums, (losses * weights).sum()),
            (self.floors, (floors * weights).sum()),
            (self.weights, weights.sum()),
            (self.right, (right & certain).sum()),
            (self.asked, certain.sum()),
        ):
            table[name] = table[name] + value if name in table else value

    def merge(self, other: "Losses") -> None:
        """Add the sums of another batch."""
        for mine, theirs in (
            (self.sums, other.sums),
            (self.floors, other.floors),
            (self.weights, other.weights),
            (self.right, other.right),
            (self.asked, other.asked),
        ):
            for name, value in theirs.items():
                mine[name] = mine[name] + value if name in mine else value

    def total(self) -> Tensor:
        """The loss to minimise: the sum of the predictors' means."""
        return torch.stack([self.sums[name] / self.weights[name] for name in self.sums]).sum()

    def excess(self) -> dict[str, float]:
        """Mean losses by predictor, beyond what noise in the traces costs any network."""
        with torch.no_grad():
            return {
                name: float((self.sums[name] - self.floors[name]) / self.weights[name])
                for name in NAMES
                if name in self.sums
            }

    def accuracy(self) -> float:
        """The share of deterministic inputs that are decided right, over all predictors."""
        asked = sum(int(value) for value in self.asked.values())
        return sum(int(value) for value in self.right.values()) / asked if asked else 1.0


def batch_losses(controller: Controller, batch: Batch, generator: torch.Generator | None = None) -> Losses:
    """Compute all losses of a batch; phrases made at one level are seen at the next."""
    losses = Losses()
    encoded = controller.encode_items(batch.words, batch.queues)
    labels = batch.labels if batch.pairs is None else None
    bank = controller.bank(encoded, batch.items, batch.size, labels)
    if controller.config.categories != "off":
        _source_category_loss(losses, controller, encoded, batch, generator)
    said: dict[str, list[_Said]] = {}
    for level in batch.levels:
        if batch.concats is not None and level is batch.levels[-1]:
            bank = _concat_losses(said, controller, bank, batch.concats)
        made = _level_losses(losses, said, controller, bank, level)
        if controller.config.categories != "hard" and made:
            items, vectors = torch.cat([item for item, _ in made]), torch.cat([vector for _, vector in made])
            bank = bank.with_phrases(items, vectors)
    _argument_losses(losses, said)
    return losses


class _Said(NamedTuple):
    """What a predictor said about arguments: the loss of each [n], which are wrong [n], and the categories' logits."""

    losses: Tensor
    wrong: Tensor
    category: Tensor | None
    weights: Tensor
    floors: Tensor


def _level_losses(
    losses: Losses, said: dict[str, list[_Said]], controller: Controller, bank: Bank, level: BatchLevel
) -> list[tuple[Tensor, Tensor]]:
    """Add the operators' losses of one level, collect the arguments'; return the phrases made: [n] and [n, d]."""
    if level.operator:
        rows, targets = level.operator
        scores = controller.operator_logits(bank, rows).log_softmax(-1)
        right = scores.argmax(-1) == targets.shares.argmax(-1)
        losses.add("operator", -(scores * targets.shares).sum(-1), targets.floors, targets.weights, right)
    made = []
    if level.reduce:
        views, arguments = level.reduce
        encoded = controller.encode_frames(bank, views)
        logits, hidden = logits_inside(controller.phrase_decoder, encoded, arguments)
        made.append(_made(said.setdefault("reduce", []), controller, logits, hidden, arguments))
    for name, taught, pointer in (
        ("concat_m", level.concat_m, controller.concat_m),
        ("concat_s", level.concat_s, controller.concat_s),
    ):
        if taught:
            elements, arguments = taught
            encoded = controller.encode_elements(bank, pointer, elements)
            logits, hidden = pointer_logits(pointer, encoded, arguments.tokens)
            logits = logits.flatten(0, 1).index_select(0, arguments.inside)
            if pointer.tokens:
                arguments = replace(arguments, tokens=columns(arguments.tokens, elements.elements.shape[1]))
            made.append(_made(said.setdefault(name, []), controller, logits, hidden, arguments))
    return made


def _made(
    said: list[_Said], controller: Controller, logits: Tensor, hidden: Tensor, arguments: Arguments
) -> tuple[Tensor, Tensor]:
    """Note the losses of logits [k, V], and return the phrases made."""
    tokens = arguments.tokens.flatten().index_select(0, arguments.inside)
    rows = arguments.inside // arguments.tokens.shape[1]
    nll = functional.cross_entropy(logits, tokens, reduction="none")
    wrong = torch.zeros_like(arguments.lengths).index_add(0, rows, (logits.argmax(-1) != tokens).long())
    summed = torch.zeros_like(arguments.weights).index_add(0, rows, nll)
    last = pick(hidden, arguments.lengths - 1)
    if controller.config.categories == "off":
        said.append(_Said(summed, wrong, None, arguments.weights, arguments.floors))
        return arguments.made, controller.phrase_vectors(last)
    category = controller.target_category.classify(last)
    said.append(_Said(summed, wrong, category, arguments.weights, arguments.floors))
    return arguments.made, controller.target_category(category)


def _concat_losses(said: dict[str, list[_Said]], controller: Controller, bank: Bank, steps: ConcatSteps) -> Bank:
    """Note the losses of all CONCATs; return the bank with the phrases that they make."""
    states, phrases = read_concats(controller, bank.frame.index_select(0, steps.known), steps)
    names = ("concat_m", controller.concat_m), ("concat_s", controller.concat_s)
    for (name, pointer), pointing in zip(names, steps.pointing, strict=True):
        if pointing is not None:
            said[name] = [_pointed(controller, pointer, states, pointing)]
    return bank.with_phrases(steps.made, phrases)


def _pointed(controller: Controller, pointer: PointerNetwork, states: Tensor, pointing: Pointing) -> _Said:
    """Score what parts of arguments select, only among the elements that they can."""
    count = len(pointing.states)
    keys = pointer.key(states.index_select(0, pointing.elements.flatten()).view(len(pointing.elements), -1))
    queries = pointer.query(states.index_select(0, pointing.states))
    matches = torch.tanh(queries.index_select(0, pointing.pairs[0]) + keys.index_select(0, pointing.pairs[1]))
    table = torch.full((count * pointing.width,), MASKED, device=states.device)
    logits = table.index_copy(0, pointing.places, pointer.score(matches).squeeze(-1)).view(count, pointing.width)
    nll = functional.cross_entropy(logits, pointing.targets, reduction="none")
    wrong = torch.zeros_like(pointing.last).index_add(0, pointing.rows, (logits.argmax(-1) != pointing.targets).long())
    summed = torch.zeros_like(pointing.weights).index_add(0, pointing.rows, nll)
    category = controller.target_category.classify(states.index_select(0, pointing.last))
    return _Said(summed, wrong, category, pointing.weights, pointing.floors)


def _argument_losses(losses: Losses, said: dict[str, list[_Said]]) -> None:
    """Add the losses of all levels, and of the categories of the phrases made."""
    for name, parts in said.items():
        found, wrong, floors, weights = (
            torch.cat([getattr(part, what) for part in parts]) for what in ("losses", "wrong", "floors", "weights")
        )
        losses.add(name, found, floors, weights, wrong == 0)
    logits = [part.category for parts in said.values() for part in parts if part.category is not None]
    if logits:
        category = torch.cat(logits)
        label = torch.full_like(category[:, 0], PHRASE_CATEGORY, dtype=torch.long)
        nll = functional.cross_entropy(category, label, reduction="none")
        losses.add("target_category", nll, torch.zeros_like(nll), torch.ones_like(nll), category.argmax(-1) == label)


def _source_category_loss(
    losses: Losses, controller: Controller, encoded: Tensor, batch: Batch, generator: torch.Generator | None
) -> None:
    """Add the loss of the source categories: of given labels, or of labels sampled for pairs of words.

    A pair's label is drawn from the prediction for its earlier known word, and set for both, as in the paper.
    """
    if batch.pairs is None:
        logits = controller.category_logits(encoded[batch.category_rows])
        labels = batch.labels[batch.category_rows]
        right = logits.argmax(-1) == labels
    elif len(batch.pairs):
        pairs = controller.category_logits(encoded[batch.pairs.T.flatten()])
        with torch.no_grad():
            first = pairs[: len(batch.pairs)].softmax(-1).cpu()
            labels = torch.multinomial(first, 1, generator=generator)[:, 0].to(pairs.device).repeat(2)
        logits, right = pairs, torch.ones_like(labels, dtype=torch.bool)
    else:
        return
    nll = functional.cross_entropy(logits, labels, reduction="none")
    losses.add("source_category", nll, torch.zeros_like(nll), torch.ones_like(nll), right)
