"""ON-LSTM: values and gradients against the paper's equations, and what padding may change."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mgsa.onlstm import ONLSTM, run_batched
from tests.reference.onlstm import on_lstm


def reference(layer: ONLSTM, x: Tensor) -> Tensor:
    """The reference's hidden states of one sequence, with the layer's own weights."""
    return on_lstm(
        x,
        layer.input_projection.weight,
        layer.input_projection.bias,
        layer.recurrent_projection.weight,
        layer.recurrent_projection.bias,
        layer.hidden_size // layer.num_chunks,
    )


@pytest.mark.parametrize(
    ("hidden_size", "chunk_size"), [(6, 1), (6, 2), (6, 6)], ids=["chunks of 1", "of 2", "one"]
)
def test_values_and_gradients_are_those_of_the_equations(hidden_size: int, chunk_size: int) -> None:
    torch.manual_seed(0)
    layer = ONLSTM(4, hidden_size, chunk_size).double()
    x = torch.randn(2, 5, 4, dtype=torch.float64, requires_grad=True)
    lengths = [5, 3]
    weights = torch.randn(2, 5, hidden_size, dtype=torch.float64)
    parameters = [x, *layer.parameters()]

    states = layer(x, torch.tensor(lengths))
    gradients = torch.autograd.grad((states * weights).sum(), parameters)

    expected = [reference(layer, x[b, :n]) for b, n in enumerate(lengths)]
    loss = sum((h * weights[b, : len(h)]).sum() for b, h in enumerate(expected))
    for b, h in enumerate(expected):
        torch.testing.assert_close(states[b, : len(h)], h)
    for ours, theirs in zip(gradients, torch.autograd.grad(loss, parameters), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_positions_after_the_end_are_zero_and_leak_nothing() -> None:
    torch.manual_seed(0)
    layer = ONLSTM(4, 6, 2)
    x = torch.randn(2, 5, 4)
    lengths = torch.tensor([3, 5])
    states = layer(x, lengths)
    x[0, 3:] = 100.0
    torch.testing.assert_close(layer(x, lengths), states, rtol=0, atol=0)
    assert states[0, 3:].eq(0).all()


def test_batched_equals_one_by_one() -> None:
    torch.manual_seed(0)
    layers = [ONLSTM(4, 6, 2) for _ in range(3)]
    inputs = [torch.randn(2, steps, 4) for steps in (3, 7, 5)]
    lengths = [torch.tensor(n) for n in ([3, 1], [6, 7], [5, 5])]
    together = run_batched(layers, inputs, lengths)
    weights = [torch.randn_like(states) for states in together]
    gradients = torch.autograd.grad(
        sum((h * w).sum() for h, w in zip(together, weights, strict=True)),
        [p for layer in layers for p in layer.parameters()],
    )
    alone = [layer(x, n) for layer, x, n in zip(layers, inputs, lengths, strict=True)]
    expected = torch.autograd.grad(
        sum((h * w).sum() for h, w in zip(alone, weights, strict=True)),
        [p for layer in layers for p in layer.parameters()],
    )
    for ours, theirs in zip([*together, *gradients], [*alone, *expected], strict=True):
        torch.testing.assert_close(ours, theirs)


def test_bfloat16_autocast_keeps_the_recurrence_in_float32() -> None:
    torch.manual_seed(0)
    layer = ONLSTM(4, 6, 2)
    x, lengths = torch.randn(2, 5, 4), torch.tensor([5, 5])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        states = layer(x, lengths)
    assert states.dtype == torch.float32
    torch.testing.assert_close(states, layer(x, lengths), rtol=0, atol=0.02)
    states.sum().backward()
    assert layer.recurrent_projection.weight.grad.isfinite().all()


def test_chunks_must_divide_the_hidden_state() -> None:
    with pytest.raises(ValueError, match=r"expected a divisor of hidden_size \(6\), got 4"):
        ONLSTM(4, 6, 4)
