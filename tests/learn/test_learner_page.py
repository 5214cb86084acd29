"""The page about the learner tells the settings as they are."""

import re
from pathlib import Path

import pytest

from ness.config import Config
from ness.settings import to_mapping

PAGE = Path(__file__).parents[2] / "docs/learner.md"
ROWS = re.findall(r"^\| `(\w+)\.(\w+)` \| `?([^|`]+?)`? \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize(("section", "key", "value"), ROWS, ids=lambda part: part)
def test_a_setting_has_the_default_that_the_page_says(section: str, key: str, value: str) -> None:
    default = to_mapping(Config())[section][key]
    assert (str(default).lower() if isinstance(default, bool) else str(default)) == value


def test_every_cost_is_on_the_page() -> None:
    assert {key for section, key, _ in ROWS if section == "costs"} == set(to_mapping(Config())["costs"])
