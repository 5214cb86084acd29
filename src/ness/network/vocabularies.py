"""The words that a controller knows, and their numbers. No torch here.

Kinds of phrases are words, too: one of the source where a frame shows a phrase of a kind, one of the target where an
instruction says which kind it makes.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ness.errors import CheckpointError
from ness.machine import EOS, ConcatM, ConcatS, Instruction, Next, Phrase, Reduce, Word, kind_of

_KIND_NAME = re.compile("‹kind ([1-9][0-9]{0,3})›")
END = 0  # the number of the end of input among source words, and of the end of an argument among target tokens


def kind_name(kind: int) -> str:
    """Name a kind as no word is named: texts are cut at spaces."""
    return f"‹kind {kind}›"


def tokens_of(instruction: Instruction) -> Phrase:
    """List what an instruction brings in itself: target tokens, last the kind of what it makes."""
    match instruction:
        case Reduce():
            return spoken(instruction)
        case ConcatM(parts) | ConcatS(parts):
            tokens = tuple([part for part in parts if isinstance(part, str)])
            return (*tokens, kind_name(kind_of(parts))) if kind_of(parts) else tokens
    return ()


def spoken(instruction: Reduce) -> Phrase:
    """List what the predictor of a REDUCE says: the phrase, last its kind if it has one."""
    return (*instruction.phrase, kind_name(instruction.kind)) if instruction.kind else instruction.phrase


def reduction(said: Phrase) -> Reduce:
    """Read what `spoken` returned."""
    kind = kind_named(said[-1])
    return Reduce(said[:-1] if kind and len(said) > 1 else said, kind if len(said) > 1 else 0)


def kind_named(name: str) -> int:
    """Return the kind of a name; 0: it is a word."""
    found = _KIND_NAME.fullmatch(name)
    return int(found[1]) if found else 0


@dataclass(frozen=True)
class Vocabularies:
    """Source words and target tokens, sorted; numbers start at 1, after END."""

    source: tuple[Word, ...]
    target: tuple[str, ...]
    source_ids: dict[Next, int] = field(init=False, repr=False, compare=False)
    target_ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        source_ids: dict[Next, int] = {word: number for number, word in enumerate(self.source, 1)}
        object.__setattr__(self, "source_ids", {EOS: END} | source_ids)
        object.__setattr__(self, "target_ids", {token: number for number, token in enumerate(self.target, 1)})

    @classmethod
    def of(
        cls, sources: Iterable[Iterable[Word]], targets: Iterable[Phrase], kinds: Iterable[int] = ()
    ) -> "Vocabularies":
        """Collect the words of training examples; `kinds` of phrases are words as well."""
        names = set(map(kind_name, kinds))
        words = names.union(*sources)
        tokens = names.union(*targets)
        return cls(tuple(sorted(words)), tuple(sorted(tokens)))

    def to_json(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"source": list(self.source), "target": list(self.target)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Vocabularies":
        """Read what `to_json` returned."""
        lists = [values.get(name) if isinstance(values, Mapping) else None for name in ("source", "target")]
        for words in lists:
            if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                raise CheckpointError("The vocabulary needs two lists of words, 'source' and 'target'; train again")
            if len(set(words)) != len(words):
                raise CheckpointError("The vocabulary lists a word twice; train again")
        return cls(tuple(lists[0] or ()), tuple(lists[1] or ()))
