"""Every stage streams: more pairs take no more memory."""

from __future__ import annotations

import pytest

from benchmarks.scale import COMPOSITION, measure_stages

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]

FEW = 100_000
"""By then all buffers have filled up that ever do: those of row groups take the most."""
BYTES_A_PAIR = 100
"""Less than the words of a pair take as plain bytes (121): what holds the corpus takes more."""


def peaks(pairs: int) -> dict[str, float]:
    """The peak of each stage, in bytes."""
    measured = measure_stages([*COMPOSITION, f"corpus.train={pairs}"], workers=2)
    return {one.stage: one.peak * 2**20 for one in measured}


def test_memory_is_flat() -> None:
    pairs = 400_000
    few, many = peaks(FEW), peaks(pairs)
    most = BYTES_A_PAIR * (pairs - FEW)

    def growing() -> dict[str, float]:
        return {stage: many[stage] - few[stage] for stage in few if many[stage] - few[stage] > most}

    if growing():  # by chance, or would it again?
        again = peaks(pairs)
        many = {stage: min(many[stage], again[stage]) for stage in many}
    assert growing() == {}
