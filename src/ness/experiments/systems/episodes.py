"""Episodes of Meta Seq2seq: what words mean in them, what the support has, what is asked."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from ness.data.example import Example
from ness.data.scan import PRIMITIVES, TURNS, commands
from ness.errors import DataError

Mapping = tuple[dict[str, str], dict[str, str]]  # of words and of actions, in an episode
_DIRECTIONS = {"extra1": "I_EXTRA1", "extra2": "I_EXTRA2"}
_VERBS = {f"verb{number}": f"I_VERB{number}" for number in range(1, 21)}
_CHOICES = 1000  # of four verbs, for the length split
SHORT = 12  # actions: what is shorter supports, what is not is asked there
LENGTH_SUPPORT = 100


@dataclass(frozen=True)
class EpisodeMaker:
    """Draws the pairs of an episode by their numbers in a pool."""

    pool: list[Example]  # in front those that are always in the support; at the end those for the vocabularies only
    always: int
    supporting: Sequence[int]
    asked: Sequence[int]
    mappings: list[Mapping]
    test_support: list[Example]  # shown with the test, in its true meanings
    least: int = 0  # pairs of the support that are drawn

    def draw(self, support: int, queries: int, rng: random.Random) -> tuple[list[int], int]:
        """Return the numbers of the support's pairs and then of the queries, and how many support."""
        more = rng.randint(self.least, max(self.least, support - self.always))
        shown = [*range(self.always), *rng.choices(self.supporting, k=more)]
        return shown + rng.choices(self.asked, k=queries), len(shown)


def episodes_for(task: str, examples: Sequence[Example], rng: random.Random) -> EpisodeMaker:
    """Make the episodes of a task."""
    if task == "scan/length":
        return _length_episodes(examples, rng)
    other = mappings(task)
    alone = words_alone(task)
    known = [command for command in commands() if command not in alone]
    numbers = range(len(alone), len(alone) + len(known))
    pool = [*alone, *known, *_made(_DIRECTIONS)]
    return EpisodeMaker(pool, len(alone), numbers, numbers, other, alone)


def _length_episodes(examples: Sequence[Example], rng: random.Random) -> EpisodeMaker:
    """Short training commands support long ones, with four of 24 verbs; the test is supported by any of training."""
    known = sorted(set(examples))
    short = [number for number, command in enumerate(known) if len(command.target) < SHORT]
    long = [number for number, command in enumerate(known) if len(command.target) >= SHORT]
    actions = {verb: f"I_{verb.upper()}" for verb in PRIMITIVES} | _VERBS
    drawn = [rng.sample(list(actions), len(PRIMITIVES)) for _ in range(_CHOICES)]
    other: list[Mapping] = []
    for verbs in drawn:
        words = dict(zip(PRIMITIVES, verbs, strict=True))
        other.append((words, {actions[verb]: actions[new] for verb, new in words.items()}))
    support = rng.sample(known, min(LENGTH_SUPPORT, len(known)))
    return EpisodeMaker([*known, *_made(_VERBS)], 0, short, long, other, support, LENGTH_SUPPORT)


def _made(extra: dict[str, str]) -> list[Example]:
    return [Example((word,), (action,)) for word, action in extra.items()]


def mappings(task: str) -> list[Mapping]:
    """List what words may mean in training; what they mean in truth is not among it."""
    if task == "scan/jump":
        verbs = [f"I_{verb.upper()}" for verb in PRIMITIVES]
        return [({}, dict(zip(verbs, order, strict=True))) for order in permutations(verbs) if order != tuple(verbs)]
    if task == "scan/around_right":
        words, actions = [*TURNS, *_DIRECTIONS], [*TURNS.values(), *_DIRECTIONS.values()]
        found = []
        for order in permutations(actions):
            meaning = dict(zip(words, order, strict=True))
            if meaning["right"] == TURNS["right"]:
                continue
            for left, right in permutations(words, 2):
                turned = {TURNS["left"]: meaning[left], TURNS["right"]: meaning[right]}
                found.append(({"left": left, "right": right}, turned))
        return found
    raise DataError(
        "Meta Seq2seq needs episodes made for its task; there are some for scan/jump, around_right and length"
    )


def words_alone(task: str) -> list[Example]:
    """Return the pairs that are always in the support: each changing word by itself."""
    wanted = [(verb,) for verb in PRIMITIVES] if task == "scan/jump" else [("turn", word) for word in TURNS]
    return [command for command in commands() if command.source in wanted]
