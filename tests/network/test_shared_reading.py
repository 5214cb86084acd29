"""Frames that are read together have the states and gradients of frames that are read one by one."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from ness.network.layers import BiLSTM
from ness.network.rows import padded
from ness.network.shared_reading import Beginnings, SharedFrames, read

torch.set_num_threads(1)

ROWS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6).map(tuple), min_size=1, max_size=12, unique=True)


@settings(max_examples=30, deadline=None)
@given(ROWS)
def test_states_and_gradients_are_those_of_the_rows_alone(rows: list[tuple[int, ...]]) -> None:
    torch.manual_seed(0)
    encoder, vectors = BiLSTM(5, 4), torch.randn(4, 5, requires_grad=True)
    weights = torch.randn(len(rows), 8)
    items, lengths = padded(rows), torch.tensor([len(row) for row in rows])
    outputs, alone = encoder(vectors[items], lengths)
    shared = SharedFrames.of(items, lengths)
    states = shared.read(encoder, vectors)
    together = shared.summaries(states)
    torch.testing.assert_close(together, alone)
    inside = torch.arange(items.shape[1]) < lengths[:, None]
    torch.testing.assert_close(shared.outputs(states)[inside], outputs[inside])
    of = [vectors, *encoder.parameters()]
    torch.testing.assert_close(
        torch.autograd.grad((together * weights).sum(), of), torch.autograd.grad((alone * weights).sum(), of)
    )


def test_common_beginnings_are_there_once() -> None:
    rows = [(1, 2, 3), (1, 2), (1, 4), (5,)]
    found = Beginnings.of(padded(rows), torch.tensor([3, 2, 2, 1]))
    assert found.sizes == (2, 2, 1)
    assert found.used[found.items].tolist() == [1, 5, 2, 4, 3]
    assert found.before.tolist() == [0, 0, 1, 1, 3]
    assert found.paths.tolist() == [[1, 3, 5], [1, 3, 0], [1, 4, 0], [2, 0, 0]]
    assert found.rows.tolist() == [5, 3, 4, 2]


@settings(max_examples=30, deadline=None)
@given(ROWS)
def test_rows_can_start_with_states_of_their_own(rows: list[tuple[int, ...]]) -> None:
    torch.manual_seed(0)
    lstm, vectors = nn.LSTM(5, 4, batch_first=True), torch.randn(4, 5, requires_grad=True)
    starts = torch.randn(len(rows), 4, requires_grad=True)
    items, lengths = padded(rows), torch.tensor([len(row) for row in rows])
    inside = torch.arange(items.shape[1]) < lengths[:, None]
    alone = lstm(vectors[items], (starts[None], torch.zeros(1, len(rows), 4)))[0][inside]
    beginnings = Beginnings.of(items, lengths, started=True)
    together = read(lstm, vectors, beginnings, starts)[beginnings.paths[inside]]
    torch.testing.assert_close(together, alone)
    weights, of = torch.randn_like(alone), [vectors, starts, *lstm.parameters()]
    torch.testing.assert_close(
        torch.autograd.grad((together * weights).sum(), of), torch.autograd.grad((alone * weights).sum(), of)
    )
