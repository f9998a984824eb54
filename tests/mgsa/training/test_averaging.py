"""The mean of checkpoints."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from mgsa.artifact.weights import save_tensors
from mgsa.cli.errors import InputError
from mgsa.training.averaging import average


def write(path: Path, values: list[float]) -> Path:
    save_tensors({"a": torch.tensor(values)}, path)
    return path


def test_is_the_mean_of_each_number(tmp_path: Path) -> None:
    rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 0.0]]
    paths = [write(tmp_path / f"{i}.safetensors", row) for i, row in enumerate(rows)]
    mean = average(paths)
    assert mean["a"].tolist() == [3.0, 2.0]
    assert mean["a"].dtype == torch.float32


def test_different_shapes_are_refused(tmp_path: Path) -> None:
    paths = [write(tmp_path / "1", [1.0]), write(tmp_path / "2", [1.0, 2.0])]
    with pytest.raises(InputError, match=r"2: expected the same weights as .*1"):
        average(paths)
