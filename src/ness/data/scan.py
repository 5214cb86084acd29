"""SCAN: all 20,910 commands from their grammar, and the official splits by rule.

Lake & Baroni 2018 (base splits), Loula, Baroni & Lake 2018 (template and filler splits). Only the simple split, a
random cut, has to be stored: `scan_simple.txt` holds one bit per command, packed.
"""

import base64
import zlib
from collections.abc import Callable
from functools import cache
from importlib import resources

from ness.data.example import Example

Words = tuple[str, ...]
Split = tuple[list[Example], list[Example]]

PRIMITIVES = ("walk", "look", "run", "jump")
TURNS = {"left": "I_TURN_LEFT", "right": "I_TURN_RIGHT"}


def _verb_phrases() -> list[Example]:
    phrases = [Example((verb,), (f"I_{verb.upper()}",)) for verb in PRIMITIVES]
    actions: dict[str, Words] = {verb: (f"I_{verb.upper()}",) for verb in PRIMITIVES} | {"turn": ()}
    for verb, action in actions.items():
        for direction, turn in TURNS.items():
            phrases.append(Example((verb, direction), (turn, *action)))
            phrases.append(Example((verb, "opposite", direction), (turn, turn, *action)))
            phrases.append(Example((verb, "around", direction), (turn, *action) * 4))
    return phrases


def _sentences() -> list[Example]:
    sentences = []
    for phrase, actions in _verb_phrases():
        sentences.append(Example(phrase, actions))
        sentences.append(Example((*phrase, "twice"), actions * 2))
        sentences.append(Example((*phrase, "thrice"), actions * 3))
    return sentences


@cache
def commands() -> tuple[Example, ...]:
    """Return every SCAN command once, in ASCII order."""
    sentences = _sentences()
    found = list(sentences)
    for first, first_actions in sentences:
        for second, second_actions in sentences:
            found.append(Example((*first, "and", *second), first_actions + second_actions))
            found.append(Example((*first, "after", *second), second_actions + first_actions))
    return tuple(sorted(found, key=lambda example: " ".join(example.source)))


def contains(words: Words, *part: str) -> bool:
    """Say whether the words of `part` occur in `words` side by side."""
    return f" {' '.join(part)} " in f" {' '.join(words)} "


def _length() -> Split:
    return _cut(lambda command: len(command.target) <= 22)


def _simple() -> Split:
    packed = resources.files("ness.data").joinpath("scan_simple.txt").read_text(encoding="ascii")
    bits = int.from_bytes(zlib.decompress(base64.b85decode("".join(packed.split()))), "little")
    train: list[Example] = []
    test: list[Example] = []
    for number, command in enumerate(commands()):
        (test if bits >> number & 1 else train).append(command)
    return train, test


def _add_primitive(part: Words, repeats: int) -> Split:
    train, test = _cut(lambda command: not contains(command.source, *part))
    alone = next(command for command in test if command.source == part)
    return train + [alone] * repeats, [command for command in test if command is not alone]


def _template(held_out: tuple[Words, ...], left_out: Words) -> Split:
    """Test the commands with a held-out phrase; those with the phrase left out are in neither set."""
    train, test = _cut(lambda command: not any(contains(command.source, *part) for part in (*held_out, left_out)))
    return train, [command for command in test if not contains(command.source, *left_out)]


def _filler(fillers: int) -> Split:
    """Train with that many verbs before "around right", test on jump before it."""
    shown = ("look", "walk", "run")[:fillers]
    hidden = [verb for verb in PRIMITIVES if verb not in shown]
    train, _ = _template(tuple((verb, "around", "right") for verb in hidden), ("turn", "around", "right"))
    return train, _template((("jump", "around", "right"),), ("turn", "around", "right"))[1]


def _cut(in_training: Callable[[Example], bool]) -> Split:
    train: list[Example] = []
    test: list[Example] = []
    for command in commands():
        (train if in_training(command) else test).append(command)
    return train, test


_SPLITS: dict[str, Callable[[], Split]] = {
    "length": _length,
    "around_right": lambda: _template((("around", "right"),), ("turn", "around", "right")),
    "jump": lambda: _add_primitive(("jump",), 1467),
    "simple": _simple,
    "turn_left": lambda: _add_primitive(("turn", "left"), 2189),
    "opposite_right": lambda: _template((("opposite", "right"),), ("turn", "opposite", "right")),
    "right": lambda: _template(tuple((verb, "right") for verb in PRIMITIVES), ("turn", "right")),
    "jump_around_right": lambda: _template((("jump", "around", "right"),), ("turn", "around", "right")),
    "filler_num0": lambda: _filler(0),
    "filler_num1": lambda: _filler(1),
    "filler_num2": lambda: _filler(2),
    "filler_num3": lambda: _filler(3),
}

SPLITS = tuple(_SPLITS)


def split(name: str) -> Split:
    """Return the training and the test commands of an official split."""
    return _SPLITS[name]()
