"""Progress of long work: a bar on a terminal, lines in a log, both with rate and time left."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import TypeVar

T = TypeVar("T")

LOG_SECONDS = 30
"""Seconds between two lines in a log."""


def progress(
    items: Iterable[T],
    description: str,
    *,
    unit: str,
    total: int | None = None,
    size: Callable[[T], int] | None = None,
) -> Iterator[T]:
    """Yield `items` under a `progress_bar`; each counts `size(item)` units, or one."""
    if total is None and size is None and isinstance(items, Sized):
        total = len(items)
    with progress_bar(description, total=total, unit=unit) as advance:
        for item in items:
            yield item
            advance(size(item) if size else 1)


@contextmanager
def progress_bar(
    description: str, *, total: int | None, unit: str
) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr, or lines if that is no terminal; yields what advances it.

    `description` is such as `parse train`, `total` the number of units (`None`: unknown), `unit`
    their plural noun (`sentences`).
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield _log(description, total, unit)
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, ProgressColumn, Task

    class Rate(ProgressColumn):
        def render(self, task: Task) -> str:
            return f"{task.finished_speed or task.speed or 0:,.0f} {unit}/s"

    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), Rate())
    with Progress(*columns, console=Console(file=sys.stderr)) as bar:
        yield partial(bar.advance, bar.add_task(description, total=total))


def _log(description: str, total: int | None, unit: str) -> Callable[[int], None]:
    stream = sys.stderr  # not the one of later, which a library's noise may be kept from
    start = said = time.perf_counter()
    done = 0

    def advance(number: int) -> None:
        nonlocal done, said
        done += number
        now = time.perf_counter()
        if stream is None or not done or now - said < LOG_SECONDS:
            return
        said, rate = now, done / (now - start)
        status = f"{description}: {done:,} {unit}, {rate:,.1f}/s"
        if total is not None and done <= total:
            left = timedelta(seconds=round((total - done) / rate))
            status = f"{description}: {done:,} of {total:,} {unit}, {rate:,.1f}/s, {left} left"
        print(status, file=stream, flush=True)

    return advance
