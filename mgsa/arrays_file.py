"""Arrays of many sentences in one `.npz` file, written as they come.

`numpy.load(path)` gives arrays by `ROW/WHAT`, rows counted from 0, in float32:

`17/layer_4.words` of translation 17 are its weights in the cross-attention of decoder layer 4, (H,
T, S): for each head and each target subword, end of sentence included, how much it attends to each
source subword, end of sentence included. Weights of a target subword and head add up to 1.

`17/subwords` of pair 17 is how much each target subword is aligned to each source subword, (T, S),
`17/words` the same in words; end of sentence is left out.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from types import TracebackType
from typing import IO, Self

import numpy as np


class ArraysFile:
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

    def write(self, row: int, arrays: Mapping[str, np.ndarray]) -> None:
        """Add the arrays of a sentence."""
        for name, array in arrays.items():
            # A date of its own choice: the same arrays are the same bytes.
            entry = zipfile.ZipInfo(f"{row}/{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with self._archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(
                    member, np.ascontiguousarray(array, dtype=np.float32), allow_pickle=False
                )
