"""Clipping keeps the direction of gradients whose norm overflows, and refuses those that are not finite."""

import math

import pytest
import torch
from torch import nn

from ness.network.gradients import clip


def parameters(*gradients: list[float]) -> list[nn.Parameter]:
    made = [nn.Parameter(torch.zeros(len(values))) for values in gradients]
    for each, values in zip(made, gradients, strict=True):
        each.grad = torch.tensor(values)
    return made


def clipped(*gradients: list[float]) -> list[float]:
    given = parameters(*gradients)
    assert clip(given, 5.0)
    return [value for each in given for value in each.grad.tolist()]  # type: ignore[union-attr]


@pytest.mark.parametrize("scale", [1.0, 1e10, 1e25, 1e37])
def test_the_direction_stays_and_the_norm_is_the_limit(scale: float) -> None:
    assert clipped([6 * scale, 0.0], [8 * scale]) == pytest.approx([3.0, 0.0, 4.0], rel=1e-5)


def test_small_gradients_stay() -> None:
    assert clipped([0.3], [0.4]) == pytest.approx([0.3, 0.4])


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_what_is_not_finite_is_refused_and_left(value: float) -> None:
    given = parameters([1.0, value], [2.0])
    assert not clip(given, 5.0)
    assert given[1].grad is not None
    assert given[1].grad.tolist() == [2.0]


def test_parameters_without_a_gradient_do_not_matter() -> None:
    given = [*parameters([30.0]), nn.Parameter(torch.zeros(1))]
    assert clip(given, 5.0)
    assert given[1].grad is None
