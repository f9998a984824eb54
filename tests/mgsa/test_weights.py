"""Weights in safetensors files: once each, same bytes, nothing else accepted."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
import torch
from torch import nn

from mgsa.errors import InputError
from mgsa.weights import load_tensors, load_weights, named_tensors, save_tensors
from tests.full_disk import room_for


class Tied(nn.Module):
    """Two names of one weight, a buffer to keep and one to compute anew."""

    def __init__(self, size: int = 3) -> None:
        super().__init__()
        self.first = nn.Linear(size, size, bias=False)
        self.second = nn.Linear(size, size, bias=False)
        self.second.weight = self.first.weight
        self.register_buffer("kept", torch.ones(2))
        self.register_buffer("constant", torch.zeros(2), persistent=False)


def test_a_shared_weight_is_saved_once_and_constants_not_at_all() -> None:
    assert set(named_tensors(Tied())) == {"first.weight", "kept"}


def test_come_back_and_stay_shared(tmp_path: Path) -> None:
    saved, loaded = Tied(), Tied()
    saved.kept.fill_(5)
    save_tensors(named_tensors(saved), tmp_path / "w")
    load_weights(loaded, tmp_path / "w")
    assert torch.equal(loaded.second.weight, saved.first.weight)
    assert loaded.second.weight is loaded.first.weight
    assert loaded.kept.tolist() == [5, 5]


def test_the_same_weights_give_the_same_bytes(tmp_path: Path) -> None:
    tensors = named_tensors(Tied())
    save_tensors(tensors, tmp_path / "1")
    save_tensors(dict(reversed(tensors.items())), tmp_path / "2")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


class Bomb:
    """Pickled, it would create a file when loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.path,)


def test_a_pickle_is_refused_unopened(tmp_path: Path) -> None:
    path, evidence = tmp_path / "w", tmp_path / "evidence"
    path.write_bytes(pickle.dumps(Bomb(evidence)))
    with pytest.raises(InputError, match="w: expected a safetensors file"):
        load_tensors(path)
    assert not evidence.exists()


def test_a_file_cut_short_is_named(tmp_path: Path) -> None:
    path = tmp_path / "w"
    save_tensors(named_tensors(Tied()), path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match="w: expected a safetensors file"):
        load_tensors(path)


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    with room_for(100), pytest.raises(OSError, match=r"File too large: '\S+/w'$"):
        save_tensors(named_tensors(Tied()), tmp_path / "w")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="w: no such file"):
        load_tensors(tmp_path / "w")


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (Tied(4), r"weight first\.weight: expected shape \(4, 4\), got \(3, 3\)"),
        (nn.Linear(3, 3), r"weight bias is missing"),
        (nn.Sequential(), r"weight first\.weight is not one of this model's"),
    ],
    ids=["shape", "missing", "left over"],
)
def test_weights_of_another_model_are_refused(
    tmp_path: Path, module: nn.Module, message: str
) -> None:
    save_tensors(named_tensors(Tied()), tmp_path / "w")
    with pytest.raises(InputError, match=message):
        load_weights(module, tmp_path / "w")
