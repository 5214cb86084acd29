"""One run of NeSS: who answers in the tables."""

from pathlib import Path

import pytest

from ness.experiments.spec import NESS, RunSpec
from ness.experiments.work import execute


@pytest.mark.slow
@pytest.mark.parametrize("rules_only", [False, True])
def test_a_row_of_the_network_is_measured_by_the_network_even_where_the_rules_answer(
    tmp_path: Path, rules_only: bool
) -> None:
    spec = RunSpec(NESS, "fewshot", 0, settings=("training.max_steps=2",), rules_only=rules_only)
    outcome = execute(spec, tmp_path)
    assert outcome["default_engine"]["name"] == "rules"
    assert [one["engine"] for one in outcome["sets"]] == ["rules" if rules_only else "controller"]
    assert bool(outcome["rules"]) is not rules_only


def test_a_training_that_may_be_cut_off_is_measured_by_who_answers_the_user(tmp_path: Path) -> None:
    spec = RunSpec(NESS, "fewshot", 0, settings=("training.max_steps=2",), limit=600.0)
    outcome = execute(spec, tmp_path)
    assert [one["engine"] for one in outcome["sets"]] == ["rules"]
    assert outcome["sets"][0]["exact"] == 1.0
