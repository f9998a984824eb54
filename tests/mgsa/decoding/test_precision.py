"""Prepared models say the same, or nearly."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from mgsa.cli.errors import FailedError, InputError
from mgsa.decoding import precision
from mgsa.decoding.precision import INTEGER_ENGINES, Int8Linear, PackedLinear, for_search
from tests.random_rows import MODELS, batch_of, random_model, some_rows

needs_x86 = pytest.mark.skipif(
    torch.backends.quantized.engine not in INTEGER_ENGINES, reason="no x86 CPU"
)
needs_onednn = pytest.mark.skipif(
    not torch.backends.mkldnn.is_available(), reason="torch has no oneDNN here"
)


@needs_x86
@pytest.mark.parametrize("bias", [True, False])
def test_a_product_of_integers_is_near_that_of_floats(bias: bool) -> None:
    """Within the steps of 7 bits of inputs and 8 of weights."""
    torch.manual_seed(0)
    exact = nn.Linear(64, 48, bias=bias)
    with torch.no_grad():
        exact.weight[3] = 0  # an output without a scale
        exact.weight[5] *= 100  # one whose scale the others don't share
    x = torch.randn(2, 5, 64)
    error = (Int8Linear(exact)(x) - exact(x)).abs().amax(dim=(0, 1))
    step = (x.max() - x.min()) / 127 / 2 * exact.weight.abs().sum(dim=1)
    step += exact.weight.abs().amax(dim=1) / 127 / 2 * x.abs().sum(dim=-1).max()
    assert (error <= step + 1e-5).all()
    assert error[3] == 0


@needs_x86
@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_integers_says_nearly_the_same(name: str) -> None:
    model = random_model(MODELS[name]).float().eval()
    quantized = for_search(model, "int8")
    assert any(isinstance(module, Int8Linear) for module in quantized.modules())
    assert not any(isinstance(module, Int8Linear) for module in model.modules())
    batch = batch_of(model, some_rows(3, 5, 4))
    with torch.inference_mode():
        given, _ = quantized.step(
            quantized.start(quantized.encode(batch)), batch.target_input[:, 0]
        )
        expected, _ = model.step(model.start(model.encode(batch)), batch.target_input[:, 0])
    torch.testing.assert_close(given, expected, rtol=0, atol=0.25)


@needs_onednn
@pytest.mark.parametrize("name", MODELS)
def test_a_packed_model_is_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "WORTH_PACKING", 1)
    model = random_model(MODELS[name]).float().eval()
    packed = for_search(model, "float32")
    assert any(isinstance(module, PackedLinear) for module in packed.modules())
    assert packed.target_embedding.subwords.weight is model.target_embedding.subwords.weight
    batch = batch_of(model, some_rows(3, 5, 4))
    with torch.inference_mode():
        given, _ = packed.step(packed.start(packed.encode(batch)), batch.target_input[:, 0])
        expected, _ = model.step(model.start(model.encode(batch)), batch.target_input[:, 0])
    torch.testing.assert_close(given, expected)


def test_other_floats_are_left_as_they_are() -> None:
    model = random_model(MODELS["transformer, pre-norm"])
    assert for_search(model, "float32") is model  # of float64
    assert for_search(model.float(), "bfloat16") is model


@needs_x86
def test_weights_that_are_not_finite_do_not_become_integers() -> None:
    model = random_model(MODELS["transformer, pre-norm"]).float()
    with torch.no_grad():
        model.output.weight[7, 0] = torch.nan
    with pytest.raises(FailedError, match="the model has weights that are not finite"):
        for_search(model, "int8")


def test_integers_are_for_some_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "INTEGER_ENGINES", ())
    with pytest.raises(InputError, match="int8 is for x86 CPUs: expected accelerator cpu on one"):
        for_search(random_model(MODELS["transformer, pre-norm"]).float(), "int8")
