"""The summary says in words which freedom the rules use."""

import pytest

from ness.learn.constituents.learning import FREEDOM
from ness.learn.freedom import LADDER
from ness.model.report import machine_used
from ness.model.summary import Summary


@pytest.mark.parametrize("freedom", [*[freedom.name for freedom in LADDER], FREEDOM])
def test_every_freedom_is_said_in_words(freedom: str) -> None:
    said = machine_used(Summary("my", "digest", 1, freedom=freedom, compared={freedom: 12.3, "paper": 45.6}))
    assert said.startswith(("the paper's", "with "))
    assert "(12 nats)" in said or freedom == "paper"
