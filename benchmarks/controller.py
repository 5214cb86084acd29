"""Speed of the controller: training with and without de-duplication, inference with and without remembering.

    python benchmarks/controller.py [--traces 256] [--steps 20] [--commands 300] [--json]

Both ratios are measured in one run on one thread; only the ratios compare across machines. Traces come from a
small hand-written program for commands such as `walk twice and run`, so nothing else has to be trained first.
"""

import argparse
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import product
from statistics import median

import torch
from timing import cpu_seconds

from ness.answer.engine import translate
from ness.answer.network_engine import ControllerEngine
from ness.answer.rule_engine import RuleEngine
from ness.config import ControllerConfig, TrainingConfig
from ness.machine import ConcatS, Final, Instruction, Pop, Program, Push, Reduce, Shift, Status, drive, run
from ness.network.batches import Batch, BatchLevel, LevelBuilder
from ness.network.controller import Controller, make_controller
from ness.network.imitation import Trainer, fixed_threads, train_controller
from ness.network.rows import FIRST_WORD, StatusItems, Views
from ness.network.shadow import replay
from ness.network.training_set import make_examples, source_labels
from ness.network.vocabularies import Vocabularies
from ness.rules.table import Categories, RuleTable

VERBS = ("walk", "run", "look", "jump")
CATEGORIES = Categories([VERBS, ("twice", "thrice"), ("and", "after")])
FRAMES: dict[tuple[str | None, ...], Instruction] = {
    (): Shift(),
    **{(verb,): Reduce((verb.upper(),)) for verb in VERBS},
    (None, "twice"): ConcatS((0, 0)),
    (None, "thrice"): ConcatS((0, 0, 0)),
    (None, "and"): Push(),
    (None, "after"): Push(),
    (None, "and", None): ConcatS((0, 2)),
    (None, "after", None): ConcatS((2, 0)),
}
Traces = list[tuple[tuple[str, ...], Program]]


def decide(status: Status) -> Instruction:
    """Translate commands: verb phrases, joined by `and` and `after`, the last one first."""
    if status.top in FRAMES:
        return FRAMES[status.top]
    if status.second is None:
        return Final() if status.next is None else Shift()
    return Shift() if status.next in ("twice", "thrice") else Pop()


def make_traces() -> Traces:
    """Make all commands of up to two verb phrases, with their traces."""
    phrases = [*((verb,) for verb in VERBS), *product(VERBS, ("twice", "thrice"))]
    joined = [(*a, word, *b) for a, word, b in product(phrases, ("and", "after"), phrases)]
    return [(source, tuple(step.instruction for step in drive(source, decide)[1])) for source in [*phrases, *joined]]


class EveryOccurrence:
    """One batch that holds each status as often as the traces do: what de-duplication saves."""

    def __init__(self, vocabularies: Vocabularies, traces: Traces) -> None:
        items = StatusItems(vocabularies, second_frame=False)
        labels = source_labels(vocabularies, CATEGORIES)
        words = torch.arange(len(vocabularies.source) + 1)
        numbers = torch.tensor([labels[word] for word in (None, *vocabularies.source)])
        level = LevelBuilder()
        rows: list[list[int]] = [[], [], [], []]
        places: dict[tuple[int, object], int] = {}
        for source, program in traces:
            for status, instruction in replay(source, program):
                seen: list[tuple[int, object]] = [(0, items.operator(status))]
                level.operator(items.operator(status), instruction.operator, 1)
                if isinstance(instruction, Reduce):
                    tokens = tuple(vocabularies.target_ids[token] for token in instruction.phrase)
                    level.reduce(items.reduce(status), tokens, 1)
                    seen.append((1, (items.reduce(status), tokens)))
                elif isinstance(instruction, ConcatS):
                    level.concat(instruction.operator, items.pointer(status), instruction.parts, 1)
                    seen.append((3, (items.pointer(status), instruction.parts)))
                for predictor, key in seen:
                    known = sum(1 for place in places if place[0] == predictor)
                    rows[predictor].append(places.setdefault((predictor, key), known))
        built = _spread(level.build(0.0), rows)
        self.occurrences = len(rows[0])
        self._batch = Batch((built,), words, words + FIRST_WORD, len(words) + FIRST_WORD, numbers, words)

    def batch(self, step: int) -> Batch:
        return self._batch

    def all(self) -> Iterable[Batch]:
        return iter([self._batch])


def _spread(level: BatchLevel, rows: list[list[int]]) -> BatchLevel:
    """Repeat the rows of a level; frames are repeated, too, so that each is encoded for each row."""
    spread = level.select([torch.tensor(index, dtype=torch.long) for index in rows])
    assert spread.operator
    assert spread.reduce
    seen, targets = spread.operator
    seen = replace(seen, top=_repeat(seen.top), second=_repeat(seen.second), memory=_repeat(seen.memory))
    return replace(spread, operator=(seen, targets), reduce=(_repeat(spread.reduce[0]), spread.reduce[1]))


def _repeat(views: Views) -> Views:
    return Views(views.items[views.index], views.lengths[views.index], torch.arange(len(views.index)))


def rate(work: Callable[[], object], count: int, repeats: int = 1) -> float:
    """Return how many of `count` units a second are done: CPU time, the median of some repeats."""
    return count / median(cpu_seconds(work) for _ in range(repeats))


def measure(traces: Traces, steps: int, commands: int) -> dict[str, float]:
    """Measure all rates in one run."""
    vocabularies = Vocabularies.of((s for s, _ in traces), [(verb.upper(),) for verb in VERBS])
    config, training = ControllerConfig(), TrainingConfig(max_steps=400)
    everything = EveryOccurrence(vocabularies, traces)
    unique = make_examples(vocabularies, config, traces, CATEGORIES, training, 0)
    figures: dict[str, float] = {"occurrences": everything.occurrences}
    for name, examples in (("unique", unique), ("every", everything)):
        trainer = Trainer(make_controller(vocabularies, config, 0, "cpu"), examples, training, 0)  # type: ignore[arg-type]
        trainer.train_step()
        figures[f"steps/s, {name}"] = rate(lambda t=trainer: [t.train_step() for _ in range(steps)], steps)  # type: ignore[misc]
    figures["ratio, unique to every"] = figures["steps/s, unique"] / figures["steps/s, every"]
    controller = make_controller(vocabularies, config, 0, "cpu")
    train_controller(controller, traces, CATEGORIES, training)
    return figures | _inference(controller, traces, commands)


def _inference(controller: Controller, traces: Traces, commands: int) -> dict[str, float]:
    """Measure commands a second: remembered, asked anew for each command, and by rules."""
    table = RuleTable.from_traces(traces, CATEGORIES)
    sources = [source for source, _ in traces]
    many = sources * max(1, 5000 // len(sources))
    network, rules = ControllerEngine(controller, table), RuleEngine(table)
    outputs = [run(source, program)[0] for source, program in traces]
    for engine in (network, rules):  # an engine that fails early would look fast
        assert [answer.output for answer in translate(engine, sources)] == outputs

    def anew() -> None:
        for source in sources[:commands]:
            network.memory.forget()
            translate(network, [source])

    figures = {"commands/s, network asked anew": rate(anew, min(commands, len(sources)))}
    for name, engine in (("remembered", network), ("rules", rules)):
        figures[f"commands/s, {name}"] = rate(lambda e=engine: translate(e, many), len(many), repeats=7)  # type: ignore[misc]
    figures["ratio, remembered to asked anew"] = (
        figures["commands/s, remembered"] / figures["commands/s, network asked anew"]
    )
    figures["ratio, remembered to rules"] = figures["commands/s, remembered"] / figures["commands/s, rules"]
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--traces", type=int, default=256)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--commands", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with fixed_threads(1):
        figures = measure(make_traces()[: options.traces], options.steps, options.commands)
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:40} {value:12.1f}")


if __name__ == "__main__":
    main()
