"""Where a training run stands: all that a resumed run needs besides weights and Adam's means."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mgsa.base.settings import Count
from mgsa.data.batching import Position
from mgsa.training.loss import LossSums


@dataclass(frozen=True)
class State:
    """A run between two updates.

    Attributes:
        update: updates made.
        tokens: target tokens they were made from, end of sentence included.
        position: the data that comes next.
        interval: losses since the last line of the curves.
        best_score: the highest validation score so far, `None` before the first.
        best_update: the update it was reached at.
        bad_validations: validations since then.
        validated_at: the update of the last validation, 0 before the first.
        skipped_batches: batches that did not fit into memory.
    """

    update: Count
    tokens: Count
    position: Position
    interval: LossSums
    best_score: float | None
    best_update: Count
    bad_validations: Count
    validated_at: Count
    skipped_batches: Count

    @classmethod
    def start(cls) -> State:
        """A run that has made no update."""
        return cls(0, 0, Position(0, 0), LossSums(), None, 0, 0, 0, 0)

    @property
    def just_improved(self) -> bool:
        """Whether the present weights are the best so far."""
        return self.best_score is not None and self.best_update == self.update

    def updated(self, position: Position, losses: LossSums, *, skipped: int) -> State:
        """The state after one more update, with the data after it at `position`."""
        return replace(
            self,
            update=self.update + 1,
            tokens=self.tokens + round(losses.tokens),
            position=position,
            interval=self.interval + losses,
            skipped_batches=self.skipped_batches + skipped,
        )

    def logged(self) -> State:
        """The state after a line of the curves."""
        return replace(self, interval=LossSums())

    def validated(self, score: float) -> State:
        """The state after a validation of the present weights; a tie is no improvement."""
        if self.best_score is None or score > self.best_score:
            return replace(
                self,
                best_score=score,
                best_update=self.update,
                bad_validations=0,
                validated_at=self.update,
            )
        return replace(self, bad_validations=self.bad_validations + 1, validated_at=self.update)
