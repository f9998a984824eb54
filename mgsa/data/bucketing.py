"""Rows of like length together, so that padding a batch wastes little."""

from __future__ import annotations

import numpy as np


def bucketed(
    lengths: np.ndarray, order: np.ndarray, batch_tokens: int, batch_sentences: int | None = None
) -> list[np.ndarray]:
    """Rows of like length, as many together as the limits allow: (rows,) indices a batch.

    Args:
        lengths: (n, 2) subwords of source and target.
        order: (rows,) which rows, in the order in which rows of the same length are taken.
        batch_tokens: the most subwords of a batch, padding counted, unless it is a single row.
        batch_sentences: the most rows of a batch; `None`: any number.
    """
    source, target = lengths[order].astype(np.int64).T
    longer = np.maximum(source, target)
    # Among rows whose longer side is the same, alike shorter sides are together too.
    ranking = np.lexsort((target, source, longer))
    order, costs = order[ranking], longer[ranking] + 1
    batches = []
    start = 0
    limit = len(order) if batch_sentences is None else batch_sentences
    while start < len(order):
        # Rows are sorted by cost, so a batch costs its number of rows times the last one's.
        most = costs[start : start + max(min(batch_tokens // int(costs[start]), limit), 1)]
        totals = most * np.arange(1, len(most) + 1)
        size = max(int(np.searchsorted(totals, batch_tokens, side="right")), 1)
        batches.append(order[start : start + size])
        start += size
    return batches
