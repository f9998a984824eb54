"""Linear maps and dropout against torch's own."""

from __future__ import annotations

import runpy
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from mgsa.operators import BLOCK, ONEDNN, Dropout, dropout, linear


def close(values: Tensor | None, truth: Tensor | None) -> None:
    assert (values is None) == (truth is None)
    if values is not None and truth is not None:
        torch.testing.assert_close(values.double(), truth, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("rows", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 1000])
@pytest.mark.parametrize(("width", "outputs"), [(8, 40), (40, 8)])
@pytest.mark.parametrize("with_bias", [True, False])
def test_values_and_gradients_are_those_of_torch_in_float64(
    rows: int, width: int, outputs: int, with_bias: bool
) -> None:
    x, weight, bias = torch.randn(rows, width), torch.randn(outputs, width), torch.randn(outputs)
    told = [x, weight, bias] if with_bias else [x, weight]
    single = [value.clone().requires_grad_() for value in told]
    double = [value.double().requires_grad_() for value in told]
    scale = torch.randn(rows, outputs)
    values, truth = linear(*single), F.linear(*double)
    close(values, truth)
    (values * scale).sum().backward()
    (truth * scale).sum().backward()
    for one, other in zip(single, double, strict=True):
        close(one.grad, other.grad)


def test_any_shape_and_layout() -> None:
    weight = torch.randn(7, 6)
    x = torch.randn(6, 30, 5)
    close(
        linear(x.permute(1, 2, 0), weight), F.linear(x.permute(1, 2, 0).double(), weight.double())
    )
    close(linear(x[:, 0, 0], weight), F.linear(x[:, 0, 0].double(), weight.double()))


def test_a_torch_without_onednns_operators_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.ops, "mkldnn", SimpleNamespace())
    without = runpy.run_module("mgsa.operators")
    assert not without["PACKS"]
    x, weight, bias = torch.randn(BLOCK + 1, 6), torch.randn(7, 6), torch.randn(7)
    double = F.linear(x.double(), weight.double(), bias.double())
    close(without["linear"](x, weight, bias), double)
    close(without["onednn_product"](x, without["packed"](weight), bias), double)


class SecondFactors(TorchDispatchMode):
    """Collects the second factors of oneDNN's products."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.found: list[Tensor] = []

    def __torch_dispatch__(self, func: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.mkldnn._linear_pointwise.default:
            self.found.append(args[1])
        return func(*args, **(kwargs or {}))


@pytest.mark.skipif(not ONEDNN, reason="torch without oneDNN or MKL")
def test_no_second_factor_has_gaps_between_its_rows() -> None:
    """oneDNN would take hundreds of times as long."""
    x, weight = torch.randn(BLOCK, 2, 8, requires_grad=True), torch.randn(4, 8, requires_grad=True)
    with SecondFactors() as second:
        values = linear(x[:, 0], weight)
        (values[:, :2].sum() + values[:, 2:].square().sum()).backward()
        torch.stack([linear(x[:, 0], weight), values.detach()], dim=1)[:, 0].sum().backward()
    assert len(second.found) == 6
    assert all(factor.is_contiguous() or factor.t().is_contiguous() for factor in second.found)


def test_what_is_frozen_has_no_gradient() -> None:
    x, weight = torch.randn(100, 6), torch.randn(7, 6, requires_grad=True)
    linear(x, weight).sum().backward()
    assert x.grad is None
    close(weight.grad, x.double().sum(dim=0).expand(7, 6))


def test_other_precisions_are_torch_s() -> None:
    x, weight = torch.randn(100, 6), torch.randn(7, 6)
    assert linear(x.double(), weight.double()).equal(F.linear(x.double(), weight.double()))
    with torch.autocast("cpu", torch.bfloat16):
        assert linear(x, weight).equal(F.linear(x, weight))
        assert linear(x, weight).dtype == torch.bfloat16


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_dropout_keeps_its_share_and_the_mean(rate: float) -> None:
    torch.manual_seed(0)
    x = torch.ones(1000, 333, requires_grad=True)
    dropped = dropout(x, rate)
    (gradient,) = torch.autograd.grad(dropped.sum(), x)
    assert gradient.equal(dropped.detach())
    kept = dropped != 0
    share, error = 1 - rate, (rate * (1 - rate) / x.numel()) ** 0.5
    assert kept.double().mean().item() == pytest.approx(share, abs=5 * error)
    assert dropped[kept].unique().item() == pytest.approx(1 / share, rel=1e-4)
    for dim in (0, 1):  # neither rows nor columns are alike
        assert kept.double().mean(dim=dim).std().item() == pytest.approx(
            (rate * (1 - rate) / kept.shape[dim]) ** 0.5, rel=0.2
        )


def test_dropout_is_by_seed_and_in_training_alone() -> None:
    x, module = torch.randn(5, 7), Dropout(0.3)
    drawn = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        drawn.append(module(x))
    assert drawn[0].equal(drawn[1])
    assert not drawn[0].equal(drawn[2])
    assert module.eval()(x) is x
    assert dropout(x, 0.0).equal(x)
    assert not dropout(x, 1.0).any()
