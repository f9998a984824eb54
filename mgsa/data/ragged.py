"""Lists of different lengths in one array: what Parquet's list columns are, without a copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Ragged:
    """n lists of numbers: list i is `values[starts[i] : starts[i] + lengths[i]]`.

    The lists may lie anywhere in `values`, so taking some of them copies no number.
    """

    values: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray

    @classmethod
    def of(cls, lists: Sequence[Sequence[int] | np.ndarray]) -> Ragged:
        """The lists themselves, put end to end."""
        lengths = np.array([len(items) for items in lists], dtype=np.int64)
        arrays = [np.asarray(items, dtype=np.int64) for items in lists]
        return cls.end_to_end(np.concatenate([np.zeros(0, dtype=np.int64), *arrays]), lengths)

    @classmethod
    def end_to_end(cls, values: np.ndarray, lengths: np.ndarray) -> Ragged:
        """Lists of these lengths, whose numbers follow each other."""
        return cls(values, np.cumsum(lengths) - lengths, lengths)

    @classmethod
    def of_arrow(cls, array: pa.ListArray, field: str | None = None) -> Ragged:
        """The lists of a Parquet file's column, or of one field of its structs; null is empty."""
        offsets = array.offsets.to_numpy()
        values = array.values if field is None else array.values.field(field)
        return cls(values.to_numpy(), offsets[:-1], np.diff(offsets))

    @classmethod
    def levels_of_arrow(cls, array: pa.ListArray, levels: int) -> tuple[Ragged, ...]:
        """One `Ragged` for each level of a column whose rows are lists of `levels` lists."""
        inner = cls.of_arrow(array.values)
        outer = array.offsets.to_numpy()[:-1]
        return tuple(inner.take(outer + level) for level in range(levels))

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: int) -> np.ndarray:
        start = self.starts[index]
        return self.values[start : start + self.lengths[index]]

    def take(self, indices: np.ndarray) -> Ragged:
        """The lists at `indices`, in that order."""
        return Ragged(self.values, self.starts[indices], self.lengths[indices])

    def flat(self) -> np.ndarray:
        """The numbers of all lists, end to end: a view where they lie like that."""
        ends = self.starts + self.lengths
        if len(self) and np.array_equal(self.starts[1:], ends[:-1]):
            return self.values[self.starts[0] : ends[-1]]
        return self.values[np.repeat(self.starts, self.lengths) + self.places()]

    def rows(self) -> np.ndarray:
        """For every number of `flat()`, the index of its list."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def places(self) -> np.ndarray:
        """For every number of `flat()`, its place in its list: 0, 1, …"""
        before = np.cumsum(self.lengths) - self.lengths
        return np.arange(self.lengths.sum()) - np.repeat(before, self.lengths)

    def padded(self, padding: int, *, width: int) -> np.ndarray:
        """The lists as rows of an (n, width) array of int64, `padding` after each.

        `width` is at least that of the longest list.
        """
        filled = np.full((len(self), width), padding, dtype=np.int64)
        filled[np.arange(width) < self.lengths[:, None]] = self.flat()
        return filled
