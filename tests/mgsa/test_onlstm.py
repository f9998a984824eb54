"""ON-LSTM: values and gradients against the paper's equations, and what padding may change."""

from __future__ import annotations

import pytest
import torch

from mgsa.onlstm import ONLSTM, run_batched
from tests.gradients import assert_same
from tests.reference.onlstm import on_lstm


@pytest.mark.parametrize(
    ("hidden_size", "chunk_size"), [(6, 1), (6, 2), (6, 6)], ids=["chunks of 1", "of 2", "one"]
)
def test_values_and_gradients_are_those_of_the_equations(hidden_size: int, chunk_size: int) -> None:
    """Of three layers in one batch, which run for different numbers of steps."""
    torch.manual_seed(0)
    layers = [ONLSTM(4, hidden_size, chunk_size).double() for _ in range(3)]
    inputs = [torch.randn(2, n, 4, dtype=torch.float64, requires_grad=True) for n in (3, 7, 5)]
    lengths = [[3, 1], [6, 7], [5, 5]]
    together = run_batched(layers, inputs, [torch.tensor(n) for n in lengths])
    for layer, x, steps, states in zip(layers, inputs, lengths, together, strict=True):
        weights = (
            layer.input_projection.weight,
            layer.input_projection.bias,
            layer.recurrent_projection.weight,
            layer.recurrent_projection.bias,
        )
        expected = [on_lstm(x[b, :n], *weights, chunk_size) for b, n in enumerate(steps)]
        assert_same(states, expected, [x, *layer.parameters()])


def test_positions_after_the_end_are_zero_and_leak_nothing() -> None:
    torch.manual_seed(0)
    layer = ONLSTM(4, 6, 2)
    x = torch.randn(2, 5, 4)
    lengths = torch.tensor([3, 5])
    states = layer(x, lengths)
    x[0, 3:] = 100.0
    torch.testing.assert_close(layer(x, lengths), states, rtol=0, atol=0)
    assert states[0, 3:].eq(0).all()


def test_bfloat16_autocast_keeps_the_recurrence_in_float32() -> None:
    torch.manual_seed(0)
    layer = ONLSTM(4, 6, 2)
    x, lengths = torch.randn(2, 5, 4), torch.tensor([5, 5])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        states = layer(x, lengths)
    assert states.dtype == torch.float32
    torch.testing.assert_close(states, layer(x, lengths), rtol=0, atol=0.02)


def test_chunks_must_divide_the_hidden_state() -> None:
    with pytest.raises(ValueError, match=r"expected a divisor of hidden_size \(6\), got 4"):
        ONLSTM(4, 6, 4)
