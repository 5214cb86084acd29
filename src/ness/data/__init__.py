"""What we learn from: examples, vocabularies, lessons and the built-in tasks."""

from ness.data.example import Example, example_of
from ness.data.files import LoadedFile, read_examples, review, write_csv, write_jsonl, write_tsv
from ness.data.lessons import Lessons, by_length, scan_lessons, translation_lessons
from ness.data.spelling import Spelling
from ness.data.tasks import Task, is_task, load_task, task_names, task_table
from ness.data.vocabulary import Vocabulary, source_vocabulary, target_vocabulary

__all__ = [
    "Example",
    "Lessons",
    "LoadedFile",
    "Spelling",
    "Task",
    "Vocabulary",
    "by_length",
    "example_of",
    "is_task",
    "load_task",
    "read_examples",
    "review",
    "scan_lessons",
    "source_vocabulary",
    "target_vocabulary",
    "task_names",
    "task_table",
    "translation_lessons",
    "write_csv",
    "write_jsonl",
    "write_tsv",
]
