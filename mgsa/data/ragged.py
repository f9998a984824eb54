"""Lists of different lengths in one array, as in Parquet's list columns, without a copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Ragged:
    """n lists of numbers: list i is `values[starts[i] : starts[i] + lengths[i]]`, in any order."""

    values: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray

    @classmethod
    def of(cls, lists: Sequence[Sequence[int] | np.ndarray]) -> Ragged:
        """The ragged array of `lists`."""
        lengths = np.array([len(items) for items in lists], dtype=np.int64)
        arrays = [np.asarray(items, dtype=np.int64) for items in lists]
        return cls.end_to_end(np.concatenate([np.zeros(0, dtype=np.int64), *arrays]), lengths)

    @classmethod
    def end_to_end(cls, values: np.ndarray, lengths: np.ndarray) -> Ragged:
        """Lists of these lengths that follow each other in `values`."""
        return cls(values, np.cumsum(lengths) - lengths, lengths)

    @classmethod
    def of_arrow(cls, array: pa.ListArray, field: str | None = None) -> Ragged:
        """A list column, or one field of its structs; null is an empty list."""
        offsets = array.offsets.to_numpy()
        values = array.values if field is None else array.values.field(field)
        return cls(values.to_numpy(), offsets[:-1], np.diff(offsets))

    @classmethod
    def levels_of_arrow(cls, array: pa.ListArray, levels: int) -> tuple[Ragged, ...]:
        """A `Ragged` for each level of a column whose rows are lists of `levels` lists."""
        inner = cls.of_arrow(array.values)
        outer = array.offsets.to_numpy()[:-1]
        return tuple(inner.take(outer + level) for level in range(levels))

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: int) -> np.ndarray:
        start = self.starts[index]
        return self.values[start : start + self.lengths[index]]

    def take(self, indices: np.ndarray) -> Ragged:
        """The lists of the given indices, in their order."""
        return Ragged(self.values, self.starts[indices], self.lengths[indices])

    def flat(self) -> np.ndarray:
        """The numbers of all lists in turn: a view where they are contiguous."""
        ends = self.starts + self.lengths
        if len(self) and np.array_equal(self.starts[1:], ends[:-1]):
            return self.values[self.starts[0] : ends[-1]]
        values: np.ndarray = self.values[np.repeat(self.starts, self.lengths) + self.positions()]
        return values

    def rows(self) -> np.ndarray:
        """For every number of `flat()`, the index of its list."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def positions(self) -> np.ndarray:
        """For every number of `flat()`, its position in its list: 0, 1, …"""
        before = np.cumsum(self.lengths) - self.lengths
        after: np.ndarray = np.arange(self.lengths.sum()) - np.repeat(before, self.lengths)
        return after

    def padded(self, padding: int, *, width: int) -> np.ndarray:
        """(n, width) int64: the lists as rows, padded on the right."""
        filled = np.full((len(self), width), padding, dtype=np.int64)
        filled[np.arange(width) < self.lengths[:, None]] = self.flat()
        return filled
