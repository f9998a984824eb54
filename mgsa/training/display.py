"""What a run shows on stderr: a bar on a terminal, a line a validation in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)


class Display:
    """Shows a run's progress, and measures the speed of its updates (validation not counted)."""

    def __init__(self, *, visible: bool) -> None:
        """Of several processes, one is `visible`."""
        self.tokens = 0.0
        self.seconds = 0.0
        self._visible = visible
        self._since = time.perf_counter()
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[status]}"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(
            *columns,
            console=Console(stderr=True),
            disable=not (visible and sys.stderr is not None and sys.stderr.isatty()),
        )
        self._task: TaskID | None = None

    @property
    def has_bar(self) -> bool:
        """Whether there is a terminal to draw a bar on."""
        return not self._bar.disable

    def __enter__(self) -> Display:
        self._bar.start()
        self._since = time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.stop()

    @property
    def tokens_per_second(self) -> float:
        """Target tokens of the updates made so far by their time."""
        return self.tokens / self.seconds if self.seconds else 0.0

    @contextmanager
    def pausing(self) -> Iterator[None]:
        """What is done inside is not counted in the time of updates."""
        self._count_time()
        yield
        self._since = time.perf_counter()

    def updated(self, update: int, *, tokens: float, loss: float, done: float) -> None:
        """Show that an update was made; `done` is the share of the run that is over."""
        self._count_time()
        self.tokens += tokens
        status = f"update {update:,}  loss {loss:.3f}  {self.tokens_per_second:,.0f} tokens/s"
        if self._task is None:  # a resumed run begins where it is, for the time left to be right
            self._task = self._bar.add_task(
                "train", total=1000, completed=round(1000 * done), status=status
            )
        self._bar.update(self._task, completed=round(1000 * done), status=status)

    def _count_time(self) -> None:
        now = time.perf_counter()
        self.seconds += now - self._since
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
        speed = f"{self.tokens_per_second:,.0f} tokens/s"
        self.line(f"update {update}: {scores}  {speed}")
