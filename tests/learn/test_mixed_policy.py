"""A mixed policy steers the search: the other policy decides where the rules alone decide otherwise."""

import pytest

from ness.config import Config, SearchConfig
from ness.learn.best_first import search
from ness.learn.coding import CodedStatus, CodedTrace
from ness.learn.costs import RuleCosts
from ness.learn.cues import Cues
from ness.learn.lexicon import Lexicon
from ness.learn.mixed_policy import MixedPolicy
from ness.machine.opcodes import PUSH
from search_samples import Scripted, coded

CONFIG = Config(search=SearchConfig(max_reduce_length=1))
_, SAMPLE = coded("run and walk", "RUN WALK")


def rules() -> RuleCosts:
    return RuleCosts(CONFIG.costs, Cues())


def operators(trace: CodedTrace | None) -> list[int]:
    assert trace is not None
    return [operator for _, operator, _ in trace]


def found(other: Scripted, weight: float) -> list[int]:
    known = rules()
    return operators(search(MixedPolicy(known, other, weight), known, Lexicon([SAMPLE]), SAMPLE, CONFIG.search).trace)


def test_the_other_policy_steers_the_search() -> None:
    liked, disliked = Scripted(operators={PUSH: 0.0}), Scripted(operators={PUSH: 30.0})
    assert found(liked, 0.0) == found(disliked, 0.0)
    assert PUSH not in found(disliked, 0.5)
    assert PUSH in found(liked, 0.95)


def test_weights_add_up() -> None:
    known, other = rules(), Scripted(operators={PUSH: 9.0})
    status: CodedStatus = (1, (-2,), (-3,), 0)
    codes = (0, 2, 4, 5)
    one, two = known.operator_costs(status, codes), other.operator_costs(status, codes)
    mixed = MixedPolicy(known, other, 0.25)
    expected = [0.75 * a + 0.25 * b for a, b in zip(one, two, strict=True)]
    assert mixed.operator_costs(status, codes) == pytest.approx(expected)
    assert MixedPolicy(known, other, 0.0).operator_costs(status, codes) == one
    assert MixedPolicy(known, other, 1.0).reduce_costs((0,), ["a"]) == other.reduce_costs((0,), ["a"])
    concat = (5, (-2, 1), 0, [(0,), (0, 0)])
    both = zip(known.concat_costs(*concat), other.concat_costs(*concat), strict=True)
    assert mixed.concat_costs(*concat) == pytest.approx([0.75 * a + 0.25 * b for a, b in both])
