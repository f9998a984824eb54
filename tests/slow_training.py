"""`python -m tests.slow_training UPDATE ...`: `mgsa ...` that rests after checkpoints.

It does so from the update UPDATE on. For tests that kill a run, or send it a signal: on a busy
machine it would have ended before.
"""

from __future__ import annotations

import sys
import time

from mgsa.__main__ import main
from mgsa.cli.run import run
from mgsa.training.trainer import Trainer

SECONDS = 1


def rest_after_checkpoints(first: int) -> None:
    """Have all processes of a run rest after each checkpoint, from this update on."""
    save = Trainer.save

    def save_and_rest(trainer: Trainer) -> None:
        save(trainer)
        if trainer.state.update >= first:
            time.sleep(SECONDS)

    Trainer.save = save_and_rest  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    rest_after_checkpoints(int(sys.argv[1]))
    sys.exit(run(main, sys.argv[2:]))
