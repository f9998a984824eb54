"""The one attention: against loops over queries and keys, fused or with weights."""

from __future__ import annotations

import math
from functools import partial

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from mgsa.attention.attend import attend
from tests.gradients import assert_same
from tests.reference.attention import attention

B, H, T, S, K = 2, 2, 3, 4, 5


def draw(**sizes: int) -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    queries = sizes.get("queries", T)
    shapes = ((B, H, queries, K), (B, H, S, K), (B, H, S, sizes.get("value", K)))
    q, k, v = (torch.randn(s, dtype=torch.float64, requires_grad=True) for s in shapes)
    return q, k, v


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("scale", [None, 0.5])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("value", [K, K + 1], ids=lambda width: f"values of width {width}")
def test_values_and_gradients_are_those_of_the_equation(
    need_weights: bool, scale: float | None, masked: bool, value: int
) -> None:
    q, k, v = draw(value=value)
    mask = torch.rand(B, 1, T, S) < 0.5 if masked else torch.ones(B, 1, T, S, dtype=torch.bool)
    mask[..., 0] = True
    output, weights = attend(
        q, k, v, mask if masked else None, scale=scale, need_weights=need_weights
    )
    heads = zip(q.flatten(0, 1), k.flatten(0, 1), v.flatten(0, 1), strict=True)
    visible = mask.expand(B, H, T, S).flatten(0, 1).tolist()
    expected = [
        attention(*head, visible=seen, scale=1 / math.sqrt(K) if scale is None else scale)
        for head, seen in zip(heads, visible, strict=True)
    ]
    assert_same(output.flatten(0, 1), [heads for heads, _ in expected], (q, k, v))
    assert (weights is not None) == need_weights
    if weights is not None:
        torch.testing.assert_close(weights.flatten(0, 1), torch.stack([w for _, w in expected]))


@pytest.mark.parametrize("need_weights", [False, True])
def test_causal_is_the_causal_mask(need_weights: bool) -> None:
    q, k, v = draw(queries=S)
    triangle = torch.ones(S, S, dtype=torch.bool).tril()
    padding = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]], dtype=torch.bool)[:, None, None]
    expected, _ = attend(q, k, v, triangle)
    output, _ = attend(q, k, v, None, causal=True, need_weights=need_weights)
    torch.testing.assert_close(output, expected)
    expected, _ = attend(q, k, v, triangle & padding)
    output, _ = attend(q, k, v, padding, causal=True, need_weights=need_weights)
    torch.testing.assert_close(output, expected)


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_blocks_are_keys_with_zeros_in_the_columns_of_the_others(
    need_weights: bool, masked: bool
) -> None:
    q, k, v = draw()
    mask = torch.rand(B, 1, T, S) < 0.5 if masked else None
    keys = k[:, :, :3, :2], k[:, :, 3:, 2:]
    joined = torch.cat([F.pad(keys[0], (0, K - 2)), F.pad(keys[1], (2, 0))], dim=2)
    ask = partial(attend, q, scale=0.5, need_weights=need_weights)
    expected, expected_weights = ask(k=joined, v=v, mask=mask)
    output, weights = ask(k=keys, v=(v[:, :, :3], v[:, :, 3:]), mask=mask)
    torch.testing.assert_close(weights, expected_weights)
    assert_same(output, list(expected), (q, k, v))


@pytest.mark.parametrize("need_weights", [False, True])
def test_a_query_that_sees_nothing_gets_something_finite(need_weights: bool) -> None:
    q, k, v = draw()
    mask = torch.ones(B, 1, T, S, dtype=torch.bool)
    mask[0, 0, 1] = False
    output, _ = attend(q, k, v, mask, need_weights=need_weights)
    gradients = torch.autograd.grad(output.sum(), (q, k, v))
    assert all(x.isfinite().all() for x in (output, *gradients))


def test_dropout_leaves_the_weights_given_back_alone() -> None:
    q, k, v = draw()
    _, expected = attend(q, k, v, None, need_weights=True)
    output, weights = attend(q, k, v, None, dropout=0.5, need_weights=True)
    torch.testing.assert_close(weights, expected)
    assert not torch.allclose(output, F.scaled_dot_product_attention(q, k, v))


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_query_that_sees_nothing_gets_something_finite_on_a_gpu(dtype: torch.dtype) -> None:
    q, k, v = (x.detach().to("cuda", dtype).requires_grad_() for x in draw())
    mask = torch.ones(B, 1, T, S, dtype=torch.bool, device="cuda")
    mask[0, 0, 1] = False
    output, _ = attend(q, k, v, mask)
    gradients = torch.autograd.grad(output.sum(), (q, k, v))
    assert all(x.isfinite().all() for x in (output, *gradients))
