"""The words that a controller knows, and their numbers. No torch here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ness.errors import CheckpointError
from ness.machine import EOS, ConcatM, ConcatS, Instruction, Next, Phrase, Reduce, Word

END = 0  # the number of the end of input among source words, and of the end of an argument among target tokens


def tokens_of(instruction: Instruction) -> Phrase:
    """List the target tokens that an instruction brings in itself."""
    match instruction:
        case Reduce(phrase):
            return phrase
        case ConcatM(parts) | ConcatS(parts):
            return tuple([part for part in parts if isinstance(part, str)])
    return ()


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
    def of(cls, sources: Iterable[Iterable[Word]], targets: Iterable[Phrase]) -> "Vocabularies":
        """Collect the words of training examples."""
        words = {word for source in sources for word in source}
        tokens = {token for target in targets for token in target}
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
