"""Parsing of two context-free languages: grammars, oracle, sampler, curricula, training and test sets."""

from ness.data.parsing.curricula import curriculum
from ness.data.parsing.grammar import LAMBDA, LANGUAGES, WHILE, Language, Node, prefix_of, source_of
from ness.data.parsing.oracle import parse, parse_tree
from ness.data.parsing.sampler import Sampler, sampler_of
from ness.data.parsing.sets import TEST_LENGTHS, TEST_SIZE, VARIANTS, test_sets, training_set, training_size

__all__ = [
    "LAMBDA",
    "LANGUAGES",
    "TEST_LENGTHS",
    "TEST_SIZE",
    "VARIANTS",
    "WHILE",
    "Language",
    "Node",
    "Sampler",
    "curriculum",
    "parse",
    "parse_tree",
    "prefix_of",
    "sampler_of",
    "source_of",
    "test_sets",
    "training_set",
    "training_size",
]
