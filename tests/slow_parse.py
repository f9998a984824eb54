"""`python -m tests.slow_parse SENTENCES GO ...`: `python -m pipeline.parse ...` that can be met.

Once it remembers so many sentences it waits for the file GO: for tests that kill what it needs, or
send it a signal, while it is at work.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path

from mgsa.cli.run import run
from pipeline.parse.__main__ import main
from pipeline.parse.memory import ParseMemory


def wait_when_remembered(sentences: int, go: Path) -> None:
    """Have the stage wait for a file before it stores more than so many sentences."""
    store = ParseMemory.store
    stored = 0

    def store_and_wait(memory: ParseMemory, trees: Mapping[bytes, str]) -> None:
        nonlocal stored
        store(memory, trees)
        stored += len(trees)
        while stored >= sentences and not go.exists():
            time.sleep(0.05)

    ParseMemory.store = store_and_wait  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    wait_when_remembered(int(sys.argv[1]), Path(sys.argv[2]))
    sys.exit(run(main, sys.argv[3:]))
