"""What a stage took for a corpus of some size."""

from __future__ import annotations

from dataclasses import dataclass

from mgsa.base.settings import Count, NonNegative, Positive


@dataclass(frozen=True)
class Measurement:
    """What a stage took.

    Attributes:
        pairs: of the training split.
        words: of the source side, in all splits.
        workers: how many processes the stage could start.
        peak: resident memory of the largest process, in MiB.
        seconds: of the wall.
        main_seconds: of the processor, in the stage's own process.
        worker_seconds: of the processor, in the processes that it started.
        output: bytes that it wrote.
    """

    stage: str
    pairs: Positive
    words: Positive
    workers: Positive
    peak: NonNegative
    seconds: NonNegative
    main_seconds: NonNegative
    worker_seconds: NonNegative
    output: Count
