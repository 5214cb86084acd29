"""Frames that are read together have the states and gradients of frames that are read one by one."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ness.network.layers import BiLSTM
from ness.network.rows import padded
from ness.network.shared_reading import Beginnings, SharedFrames

torch.set_num_threads(1)

ROWS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6).map(tuple), min_size=1, max_size=12, unique=True)


@settings(max_examples=30, deadline=None)
@given(ROWS)
def test_states_and_gradients_are_those_of_the_rows_alone(rows: list[tuple[int, ...]]) -> None:
    torch.manual_seed(0)
    encoder, vectors = BiLSTM(5, 4), torch.randn(4, 5, requires_grad=True)
    weights = torch.randn(len(rows), 8)
    _, alone = encoder(vectors[padded(rows)], torch.tensor([len(row) for row in rows]))
    together = SharedFrames.of(rows).summaries(encoder, vectors)
    torch.testing.assert_close(together, alone)
    of = [vectors, *encoder.parameters()]
    torch.testing.assert_close(
        torch.autograd.grad((together * weights).sum(), of), torch.autograd.grad((alone * weights).sum(), of)
    )


def test_common_beginnings_are_there_once() -> None:
    found = Beginnings.of([(1, 2, 3), (1, 2), (1, 4), (5,)])
    assert found.sizes == (2, 2, 1)
    assert found.items.tolist() == [1, 5, 2, 4, 3]
    assert found.before.tolist() == [0, 0, 1, 1, 3]
    assert found.rows.tolist() == [5, 3, 4, 2]
