"""Set phrases: several words that can only be learned as a whole, since none of them says there what it says alone.

`twenty` is `2 0` and `five` is `0 5`, but `twenty five` is `2 5`. An example of these words alone is learned by heart
then; but as longer inputs have them too, that is a rule like others.
"""

from collections.abc import Iterable

from ness.learn.coding import CodedSource, Sample

_LONGEST = 3  # words
JOINT_LENGTH = 2  # target tokens that several words stand for together, at most


def set_phrases(samples: Iterable[Sample]) -> frozenset[Sample]:
    """The samples that are set phrases: each word is known alone, and longer samples have the same output for them."""
    samples = list(samples)
    alone = {source[0]: target for source, target in samples if len(source) == 1}
    found = {
        source: target
        for source, target in samples
        if 1 < len(source) <= _LONGEST
        and len(target) <= JOINT_LENGTH
        and all(word in alone and alone[word] not in target for word in source)
    }
    confirmed: set[CodedSource] = set()
    denied: set[CodedSource] = set()
    for source, target in samples if found else ():
        for length in range(2, _LONGEST + 1):
            for start in range(len(source) - length + 1):
                words = source[start : start + length]
                if words in found and words != source:
                    (confirmed if found[words] in target else denied).add(words)
    return frozenset([(words, found[words]) for words in confirmed - denied])
