"""What a stage took for a corpus of some size, and files of such measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, write_json
from mgsa.base.settings import Count, NonNegative, Positive, from_mapping


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


def read_measurements(path: Path) -> list[Measurement]:
    """The measurements that `write_measurements` wrote.

    Raises:
        InputError: the file is missing or holds something else.
    """
    content = read_json(path)
    if not isinstance(content, list) or not content:
        raise InputError("expected a list of measurements", path=path)
    return [
        from_mapping(Measurement, one, f"{path}: [{number}]") for number, one in enumerate(content)
    ]


def write_measurements(path: Path, measurements: Sequence[Measurement]) -> None:
    """Write measurements as JSON."""
    write_json(path, [asdict(one) for one in measurements])
