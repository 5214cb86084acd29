"""Whole traces as batches, for networks that look beyond the status.

Arguments are sorted into levels: one comes after those that made the phrases it sees. Operators make no phrases, so all
of them are the last level: one large pass. Equal derivations are computed once.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import torch

from ness.config import ControllerConfig
from ness.machine import EOS, ConcatM, ConcatS, Frames, Next, Operator, Parts, Program, Reduce, Word, after
from ness.network.batches import Batch, LevelBuilder
from ness.network.concat_steps import ConcatSteps
from ness.network.derivations import Items, Place
from ness.network.rows import PHRASE_ITEM, PointerInput, part_ids
from ness.network.vocabularies import Vocabularies, spoken


def compile_traces(
    vocabularies: Vocabularies,
    controller: ControllerConfig,
    traces: Sequence[tuple[tuple[Word, ...], Program]],
    labels: Mapping[Next, int],
    power: float,
    pairs: Iterable[tuple[Place, Place]] | None,
    share: bool = False,
) -> Batch:
    """Compile whole traces into levels of decisions; `share`: beginnings of frames are read once, CONCATs in steps."""
    items = Items(vocabularies, controller)
    queues = [items.queue(number, source) for number, (source, _) in enumerate(traces)]
    levels: defaultdict[int, LevelBuilder] = defaultdict(LevelBuilder)
    operators = LevelBuilder()
    for (_, program), queue in zip(traces, queues, strict=True):
        _add_trace(levels, operators, items, vocabularies, controller, program, queue)
    words = torch.tensor(items.words)
    by_id: tuple[Next, ...] = (EOS, *vocabularies.source)
    index = {item: row for row, item in enumerate(items.word_items)}
    pair_rows = None
    if pairs is not None:
        rows = [[index[queues[number][position]] for number, position in pair] for pair in pairs]
        pair_rows = torch.tensor(rows, dtype=torch.long).view(-1, 2)
    concats = None
    if share and controller.categories == "soft":  # then REDUCEs are at level 0, and CONCATs at all others
        concat_rows = [levels.pop(number).concat_rows(power) for number in sorted(levels) if number]
        concats = ConcatSteps.of(concat_rows) if concat_rows else None
    return Batch(
        levels=(*[levels[number].build(power, share) for number in sorted(levels)], operators.build(power, share)),
        words=words,
        items=torch.tensor(items.word_items),
        size=items.size,
        labels=torch.tensor([labels[by_id[word]] for word in items.words]),
        category_rows=torch.arange(len(words)),
        queues=items.contexts([source for source, _ in traces]),
        pairs=pair_rows,
        concats=concats,
    )


def _add_trace(
    levels: Mapping[int, LevelBuilder],
    operators: LevelBuilder,
    items: Items,
    vocabularies: Vocabularies,
    controller: ControllerConfig,
    program: Program,
    queue: list[int],
) -> None:
    """Put every argument of a trace on its level, and every operator on the last."""
    frames: Frames[int] = Frames()
    for instruction in program:
        seen, phrases = items.see(frames, queue)
        operators.operator(seen, instruction.operator, 1)
        parts: Parts = ()
        made = PHRASE_ITEM
        if isinstance(instruction, Reduce):
            tokens = tuple([vocabularies.target_ids[token] for token in spoken(instruction)])
            level = items.level(seen.top)
            made = items.phrase(Operator.REDUCE, seen.top, tokens, level + 1)
            levels[level].reduce(seen.top, tokens, 1, made)
        elif isinstance(instruction, ConcatM | ConcatS):
            parts = instruction.parts
            second = seen.second if controller.pointer_second_frame else ()
            pointer = PointerInput(seen.top, seen.memory, second, phrases)
            level = items.level(pointer.top, pointer.memory, pointer.second)
            chosen = part_ids(parts, vocabularies)
            made = items.phrase(instruction.operator, pointer, chosen, level + 1)
            levels[level].concat(instruction.operator, pointer, chosen, 1, made)
        frames = after(frames, instruction.operator, parts, seen.next, made)


def word_pairs(
    traces: Sequence[tuple[tuple[Word, ...], Program]], first_length: Mapping[Word, int]
) -> list[tuple[Place, Place]]:
    """Pair the words of sources with equal operator traces by position, the earlier known word first."""
    alike: defaultdict[tuple[Operator, ...], list[int]] = defaultdict(list)
    for number, (_, program) in enumerate(traces):
        alike[tuple(instruction.operator for instruction in program)].append(number)
    pairs = []
    for numbers in alike.values():
        for one, other in pairwise(numbers):
            for position, (a, b) in enumerate(zip(traces[one][0], traces[other][0], strict=True)):
                places = (one, position), (other, position)
                pairs.append(places if first_length[a] <= first_length[b] else places[::-1])
    return pairs
