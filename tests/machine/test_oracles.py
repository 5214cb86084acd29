"""The machine suffices: hand-written policies over local statuses answer every input of three languages."""

from random import Random

import pytest

from ness.data.parsing.grammar import prefix_of, source_of
from ness.data.parsing.sampler import sampler_of
from ness.data.scan import commands
from ness.machine import Decisions, drive
from oracles import Oracle, lambda_lang, scan, translate, while_lang

ORACLES: dict[str, Oracle] = {"while": while_lang, "lambda": lambda_lang}


def test_all_scan_commands() -> None:
    table = Decisions()
    wrong = [source for source, target in commands() if translate(scan, source, table)[0] != target]
    assert len(commands()) == 20_910
    assert wrong == []


def lengths(language: str, count: int) -> list[int]:
    """Every order of magnitude up to 1,000 alike; a third is longer than 100. While-Lang lengths are odd."""
    rng = Random(0)
    drawn = [min(1000, round(1.5 + 1000 ** rng.random())) for _ in range(count - 1)] + [1000]
    return [length // 2 * 2 + 1 if length < 1000 else 999 for length in drawn] if language == "while" else drawn


@pytest.mark.slow
@pytest.mark.parametrize("language", ["while", "lambda"])
def test_2000_random_inputs_up_to_length_1000(language: str) -> None:
    rng = Random(1)
    table = Decisions()
    for length in lengths(language, 2000):
        tree = sampler_of(language).draw(rng, length)
        assert translate(ORACLES[language], source_of(tree), table)[0] == prefix_of(tree)


@pytest.mark.parametrize("language", ["while", "lambda"])
def test_the_plain_machine_parses_too(language: str) -> None:
    rng = Random(2)
    for length in lengths(language, 2000)[:200]:
        tree = sampler_of(language).draw(rng, min(length, 61))
        assert drive(source_of(tree), ORACLES[language])[0] == prefix_of(tree)
