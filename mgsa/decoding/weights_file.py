"""Attention weights of many translations in one `.npz` file, written as they come.

`numpy.load(path)` gives arrays by `ROW/layer_N.WHAT`, such as `17/layer_4.words`: the weights of
translation 17 (counted from 0) in the cross-attention of decoder layer 4, (H, T, S) in float32: for
each head and each target subword, end of sentence included, how much it attends to each source
subword, end of sentence included. Weights of a target subword and head add up to 1.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from types import TracebackType
from typing import IO, Self

import numpy as np


class WeightsFile:
    """An open `.npz` file; a context manager, for the list of contents is written last."""

    def __init__(self, file: IO[bytes]) -> None:
        self._archive = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._archive.close()

    def write(self, row: int, weights: Mapping[str, np.ndarray]) -> None:
        """Add the weights of a translation."""
        for name, array in weights.items():
            # A date of its own choice: the same weights are the same bytes.
            entry = zipfile.ZipInfo(f"{row}/{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with self._archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(
                    member, np.ascontiguousarray(array, dtype=np.float32), allow_pickle=False
                )
