"""Lessons: examples in the order in which they are learned, from short to long.

A lesson plan depends on the examples alone, so every plan can be used on any data.
"""

from collections.abc import Callable, Iterable

from ness.data.example import Example

Lessons = list[list[Example]]


def by_length(examples: Iterable[Example]) -> Lessons:
    """Make one lesson of each distinct source length, short to long, duplicates removed."""
    return _lessons(examples, lambda example: len(example.source))


def scan_lessons(examples: Iterable[Example]) -> Lessons:
    """Make the paper's SCAN lessons (appendix, "Curriculum design").

    Lessons 1 to 4: input or output of that length; 5: longer inputs with at most 8 output tokens; 6: the rest.
    """
    return _lessons(examples, _scan_lesson)


def translation_lessons(examples: Iterable[Example]) -> Lessons:
    """Make the paper's translation lessons: by the number of English tokens."""
    return by_length(examples)


def _scan_lesson(example: Example) -> int:
    shorter = min(len(example.source), len(example.target))
    if shorter <= 4:
        return shorter
    return 5 if len(example.target) <= 8 else 6


def _lessons(examples: Iterable[Example], lesson_of: Callable[[Example], int]) -> Lessons:
    lessons: dict[int, list[Example]] = {}
    for example in dict.fromkeys(examples):
        lessons.setdefault(lesson_of(example), []).append(example)
    return [lessons[number] for number in sorted(lessons)]
