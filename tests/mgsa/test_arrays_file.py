from __future__ import annotations

from pathlib import Path

import numpy as np

from mgsa.arrays_file import ArraysFile


def write(path: Path) -> None:
    with path.open("wb") as file, ArraysFile(file) as weights:
        for row in range(3):
            shape = (2, row + 1, 4)
            ones = np.ones(shape, dtype=np.float64)
            weights.write(row, {"layer_1.words": row * ones, "layer_2.words": ones})


def test_numpy_reads_what_was_written(tmp_path: Path) -> None:
    write(tmp_path / "weights.npz")
    with np.load(tmp_path / "weights.npz") as arrays:
        assert len(arrays.files) == 6
        for row in range(3):
            first = arrays[f"{row}/layer_1.words"]
            assert first.dtype == np.float32
            assert first.shape == (2, row + 1, 4)
            assert (first == row).all()
            assert (arrays[f"{row}/layer_2.words"] == 1).all()


def test_the_same_weights_are_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "one.npz")
    write(tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
