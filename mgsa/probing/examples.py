"""The sentences of a split as batches that stay the same in every epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from mgsa.data.batch import Batch
from mgsa.data.batching import bucketed
from mgsa.probing.rows import ProbingRows


@dataclass(frozen=True, eq=False)
class Example:
    """Some sentences of a split, which are always encoded together.

    Attributes:
        rows: (B,) which of the split's.
        batch: what the encoder sees.
        labels: by task, (B,) or (B, S), as `ProbingRows.labels` gives them.
    """

    rows: np.ndarray
    batch: Batch
    labels: Mapping[str, Tensor]


def make_examples(
    rows: ProbingRows,
    tasks: Sequence[str],
    granularities: Sequence[str],
    *,
    ngram_unit: str,
    batch_tokens: int,
    device: torch.device,
) -> list[Example]:
    """All rows, those of like length together.

    Args:
        tasks: whose labels are wanted.
        granularities, ngram_unit: what the encoder needs in its batches.
        batch_tokens: the most source positions of a batch, padding counted.
    """
    examples = []
    for indices in bucketed(rows.lengths, np.arange(len(rows)), batch_tokens):
        part = rows.take(indices)
        batch = part.batch(granularities, ngram_unit=ngram_unit)
        labels = {task: part.labels(task).to(device) for task in tasks}
        examples.append(Example(indices, batch.to(device), labels))
    return examples
