"""How far a run is: its state, its curves, and what it shows on stderr."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from mgsa.base.io import atomic_file, open_to_write
from mgsa.base.settings import Count
from mgsa.data.batching import Position
from mgsa.training.loss import LossSums

OnMetrics = Callable[[int, Mapping[str, float]], None]
"""Observer of the curves: `(update, metrics)` of each line."""


@dataclass(frozen=True)
class State:
    """A run between two updates: all that resuming needs besides weights and Adam's moments.

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
        """After one more update, which `position` comes after."""
        return replace(
            self,
            update=self.update + 1,
            tokens=self.tokens + round(losses.tokens),
            position=position,
            interval=self.interval + losses,
            skipped_batches=self.skipped_batches + skipped,
        )

    def logged(self) -> State:
        """After a line of the curves."""
        return replace(self, interval=LossSums())

    def validated(self, score: float) -> State:
        """After a validation of the present weights; a tie is no improvement."""
        state = replace(self, validated_at=self.update)
        if self.best_score is None or score > self.best_score:
            return replace(state, best_score=score, best_update=self.update, bad_validations=0)
        return replace(state, bad_validations=self.bad_validations + 1)


class Curves:
    """Losses and scores, a JSON object a line: `{"update": 100, "train_loss": …}`.

    They hold no times, so they are the same for two runs of the same settings.
    """

    def __init__(self, path: Path | None, text: str, on_metrics: OnMetrics | None = None) -> None:
        """Begin with `text`, the curves of the checkpoint; without a `path` no file is written."""
        self._path = path
        self._on_metrics = on_metrics
        self.text = ""
        if path is not None:
            with atomic_file(path) as file:
                file.write(text)
        self._tell(text)

    def append(self, update: int, metrics: Mapping[str, float]) -> None:
        """Write a line; a reader of the file sees it at once."""
        line = json.dumps({"update": update, **metrics}) + "\n"
        if self._path is not None:
            with open_to_write(self._path, "a") as file:
                file.write(line)
        self._tell(line)

    def _tell(self, lines: str) -> None:
        self.text += lines
        for line in lines.splitlines() if self._on_metrics else ():
            values = json.loads(line)
            self._on_metrics(values.pop("update"), values)  # type: ignore[misc]

    def validation(self, update: int) -> dict[str, float]:
        """The newest scores of the weights of `update`."""
        for line in reversed(self.text.splitlines()):
            values: dict[str, float] = json.loads(line)
            if values.pop("update") == update and "valid_nll" in values:
                return values
        raise AssertionError(f"update {update} was not validated")


class Display:
    """A bar on a terminal, a line a validation in a log; measures the speed of updates."""

    def __init__(self, *, visible: bool) -> None:
        """Of several processes, one is `visible`."""
        self._visible = visible
        self._tokens = self._seconds = 0.0
        self._since = time.perf_counter()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[status]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            disable=not (visible and sys.stderr is not None and sys.stderr.isatty()),
        )
        self._task: TaskID | None = None

    @property
    def has_bar(self) -> bool:
        """Whether there is a terminal to draw a bar on."""
        return not self._bar.disable

    @property
    def tokens_per_second(self) -> float:
        """Target tokens of the updates made so far by their time, without validation."""
        return self._tokens / self._seconds if self._seconds else 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Show the bar; time is measured from here on."""
        self._since = time.perf_counter()
        with self._bar:
            yield

    @contextmanager
    def pausing(self) -> Iterator[None]:
        """Leave the block out of the measured time."""
        self._count_time()
        yield
        self._since = time.perf_counter()

    def updated(self, update: int, *, tokens: float, loss: float, done: float) -> None:
        """Show that an update was made; `done` is the finished share of the run."""
        self._count_time()
        self._tokens += tokens
        status = f"update {update:,}  loss {loss:.3f}  {self.tokens_per_second:,.0f} tokens/s"
        completed = round(1000 * done)
        if self._task is None:  # begins where a resumed run is, for the time left to be right
            self._task = self._bar.add_task("train", total=1000, completed=completed, status=status)
        self._bar.update(self._task, completed=completed, status=status)

    def _count_time(self) -> None:
        now = time.perf_counter()
        self._seconds += now - self._since
        self._since = now

    def line(self, text: str) -> None:
        """Print a line above the bar."""
        if self._visible and not self.has_bar:
            print(text, file=sys.stderr, flush=True)
        elif self._visible:
            self._bar.console.print(text, markup=False, highlight=False)

    def validated(self, update: int, metrics: Mapping[str, float]) -> None:
        """Print the line of a validation."""
        scores = "  ".join(f"{name} {value:.4g}" for name, value in metrics.items())
        self.line(f"update {update}: {scores}  {self.tokens_per_second:,.0f} tokens/s")
