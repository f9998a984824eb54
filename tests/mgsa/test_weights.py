"""Weights in safetensors files: once each, same bytes, nothing else accepted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from mgsa.base.errors import InputError
from mgsa.weights import count_tensors, load_tensors, load_weights, named_tensors, save_tensors
from tests.full_disk import room_for
from tests.mutations import mutated_bytes, refusal
from tests.pickle_bomb import pickle_bomb


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


def test_tensors_are_counted_unread(tmp_path: Path) -> None:
    path = tmp_path / "w"
    save_tensors(named_tensors(Tied()), path)
    assert count_tensors(path) == 2
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match="w: expected a safetensors file"):
        count_tensors(path)


def test_the_same_weights_give_the_same_bytes(tmp_path: Path) -> None:
    tensors = named_tensors(Tied())
    save_tensors(tensors, tmp_path / "1")
    save_tensors(dict(reversed(tensors.items())), tmp_path / "2")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_a_pickle_is_refused_unopened(tmp_path: Path) -> None:
    path, evidence = tmp_path / "w", tmp_path / "evidence"
    path.write_bytes(pickle_bomb(evidence))
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


def write_header(path: Path, header: object, data: bytes = b"") -> None:
    """A safetensors file by hand: the length of the header, the header, numbers."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def described(shape: list[int], kind: str = "F32", size: int = 0) -> dict[str, object]:
    return {"a": {"dtype": kind, "shape": shape, "data_offsets": [0, size]}}


@pytest.mark.parametrize(
    ("header", "data", "message"),
    [
        (described([2**40, 2**40]), b"", "expected a safetensors file: .*overflow"),
        (described([2**40]), b"", "expected a safetensors file: "),
        (described([4], size=2**40), b"", "expected a safetensors file: "),
        (described([0, 2**63]), b"", "tensor a: expected floating-point numbers"),
        (described([4], "I32", 16), bytes(16), "tensor a: expected floating-point numbers"),
        (described([16], "BOOL", 16), bytes(16), "tensor a: expected floating-point numbers"),
        (b"[" * 10_000, b"", "expected a safetensors file: "),
        (b'{"a": ' * 10_000, b"", "expected a safetensors file: "),
    ],
    ids=[
        "overflow",
        "shape",
        "offsets",
        "no number",
        "whole",
        "truths",
        "deep list",
        "deep object",
    ],
)
def test_a_header_that_lies_is_named(
    tmp_path: Path, header: object, data: bytes, message: str
) -> None:
    write_header(tmp_path / "w", header, data)
    with pytest.raises(InputError, match=f"w: {message}"):
        load_tensors(tmp_path / "w")


def test_a_header_that_is_longer_than_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes((2**62).to_bytes(8, "little") + b"{}")
    with pytest.raises(InputError, match=r"w: expected a safetensors file: .*header too large"):
        load_tensors(tmp_path / "w")


@given(data=st.data())
def test_whatever_a_file_holds(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    path = tmp_path_factory.getbasetemp() / "w"
    save_tensors(named_tensors(Tied()), path)
    path.write_bytes(data.draw(mutated_bytes(path.read_bytes())))
    for read in (lambda: load_tensors(path), lambda: load_weights(Tied(), path)):
        said = refusal(read)
        assert said is None or said.startswith(f"{path}: ")


def test_weights_have_room_when_it_is_known_that_they_fit(tmp_path: Path) -> None:
    saved = Tied()
    save_tensors(named_tensors(saved), tmp_path / "w")
    with torch.device("meta"):
        loaded, larger = Tied(), Tied(10**9)
    load_weights(loaded, tmp_path / "w")
    assert torch.equal(loaded.first.weight, saved.first.weight)
    assert loaded.second.weight is loaded.first.weight
    assert isinstance(loaded.first.weight, nn.Parameter)
    assert loaded.first.weight.requires_grad
    assert (loaded.kept.tolist(), loaded.kept.requires_grad) == ([1, 1], False)
    with pytest.raises(
        InputError, match=r"weight first\.weight: expected shape \(1000000000, 1000"
    ):
        load_weights(larger, tmp_path / "w")
    assert larger.first.weight.is_meta


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (torch.full((3, 3), torch.nan), r"weight first\.weight: expected finite numbers"),
        (torch.full((3, 3), -torch.inf), r"weight first\.weight: expected finite numbers"),
        (torch.zeros(3, 3, dtype=torch.float64), r"first\.weight: expected type F32, got F64"),
    ],
    ids=["NaN", "infinity", "wider"],
)
def test_weights_that_no_training_leaves_are_refused(
    tmp_path: Path, tensor: torch.Tensor, message: str
) -> None:
    save_tensors(named_tensors(Tied()) | {"first.weight": tensor}, tmp_path / "w")
    with pytest.raises(InputError, match=f"w: .*{message}"):
        load_weights(Tied(), tmp_path / "w")


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
