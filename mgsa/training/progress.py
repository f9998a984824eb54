"""Progress of a run on stderr: a bar on a terminal; in a log, lines about twice a minute."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.console import Console
from rich.progress import Progress

from mgsa.cli.progress import LOG_SECONDS


class Display:
    """Shows a run, if `visible` (in one process), and measures its speed."""

    def __init__(self, *, visible: bool) -> None:
        self.has_bar = visible and sys.stderr is not None and sys.stderr.isatty()
        self._visible = visible
        self._tokens = self._seconds = 0.0
        self._since = self._said = time.perf_counter()
        self._start: tuple[float, float] | None = None  # a time, and what was done by then
        self._bar = Progress(console=Console(stderr=True), disable=not self.has_bar)
        self._task = self._bar.add_task("train", total=1.0)

    @property
    def tokens_per_second(self) -> float:
        """Target tokens of all updates by their time, without validation."""
        return self._tokens / self._seconds if self._seconds else 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Show the bar and start the clock."""
        self._since = self._said = time.perf_counter()
        with self._bar:
            yield

    @contextmanager
    def pausing(self) -> Iterator[None]:
        """Stop the clock within the block."""
        before = time.perf_counter()
        yield
        self._since += time.perf_counter() - before

    def updated(self, update: int, *, tokens: float, loss: float, done: float) -> None:
        """Show an update; `done` is the finished share of the run."""
        now = time.perf_counter()
        self._seconds += now - self._since
        self._since = now
        self._tokens += tokens
        status = f"update {update:,}  loss {loss:.3f}  {self.tokens_per_second:,.0f} tokens/s"
        self._bar.update(self._task, completed=done, description=status)
        self._start = self._start or (now, done)
        began, before = self._start
        if not self.has_bar and now - self._said >= LOG_SECONDS and before < done <= 1:
            left = timedelta(seconds=round((now - began) * (1 - done) / (done - before)))
            self.line(f"{status}  {done:.0%}, {left} left")

    def line(self, text: str) -> None:
        """Print a line above the bar, or into the log."""
        self._said = time.perf_counter()
        if self.has_bar:
            self._bar.console.print(text, markup=False, highlight=False)
        elif self._visible:
            print(text, file=sys.stderr, flush=True)
