"""Weights in safetensors files: once each, same bytes, nothing else accepted."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from mgsa.artifact.weights import load_weights, named_tensors, save_tensors
from mgsa.cli.errors import InputError


class Tied(nn.Module):
    """Two names of one weight, a buffer to keep and one to compute anew."""

    kept: Tensor

    def __init__(self, size: int = 3) -> None:
        super().__init__()
        self.first = nn.Linear(size, size, bias=False)
        self.second = nn.Linear(size, size, bias=False)
        self.second.weight = self.first.weight
        self.register_buffer("kept", torch.ones(2))
        self.register_buffer("constant", torch.zeros(2), persistent=False)


def test_the_same_weights_give_the_same_bytes(tmp_path: Path) -> None:
    tensors = named_tensors(Tied())
    save_tensors(tensors, tmp_path / "1")
    save_tensors(dict(reversed(tensors.items())), tmp_path / "2")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_weights_come_back_and_stay_shared(tmp_path: Path) -> None:
    saved = Tied()
    saved.kept.fill_(5)
    assert set(named_tensors(saved)) == {"first.weight", "kept"}
    save_tensors(named_tensors(saved), tmp_path / "w")
    loaded = Tied()
    load_weights(loaded, tmp_path / "w")
    assert torch.equal(loaded.first.weight, saved.first.weight)
    assert loaded.second.weight is loaded.first.weight
    assert isinstance(loaded.first.weight, nn.Parameter)
    assert loaded.first.weight.requires_grad
    assert (loaded.kept.tolist(), loaded.kept.requires_grad) == ([5, 5], False)


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (Tied(4), r"weight first\.weight: expected .* of shape \(4, 4\), got .* shape \(3, 3\)"),
        (Tied().double(), r"weight first\.weight: expected torch\.float64 .* got torch\.float32"),
        (nn.Linear(3, 3), r"weight bias: expected .* of shape \(3,\), got none"),
        (nn.Sequential(), r"weight first\.weight: expected none, got .* of shape \(3, 3\)"),
    ],
    ids=["shape", "type", "missing", "left over"],
)
def test_weights_of_another_model_are_refused(
    tmp_path: Path, module: nn.Module, message: str
) -> None:
    save_tensors(named_tensors(Tied()), tmp_path / "w")
    with pytest.raises(InputError, match=message):
        load_weights(module, tmp_path / "w")
