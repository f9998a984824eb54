"""Every stage streams: more pairs take no more memory."""

from __future__ import annotations

import pytest

from benchmarks.scale import COMPOSITION, measure_stages

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3000)]

FEW = 100_000
"""By then all buffers have filled up that ever do: those of row groups take the most."""
BYTES_A_PAIR = 100
"""Less than the words of a pair take as plain bytes (121): what holds the corpus takes more."""


def test_memory_is_flat(sampled: bool) -> None:
    pairs = 400_000 if sampled else 600_000
    peaks = [
        {one.stage: one.peak for one in measure_stages([*COMPOSITION, train], workers=2)}
        for train in (f"corpus.train={FEW}", f"corpus.train={pairs}")
    ]
    grown = {stage: (peak - peaks[0][stage]) * 2**20 for stage, peak in peaks[1].items()}
    most = BYTES_A_PAIR * (pairs - FEW)
    assert {stage: size for stage, size in grown.items() if size > most} == {}
