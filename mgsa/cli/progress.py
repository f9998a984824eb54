"""Progress of long work: a bar with rate and time left on a terminal."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

T = TypeVar("T")


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
    """A progress bar on stderr if that is a terminal; yields the function that advances it.

    `description` is such as `parse train`, `total` the number of units (`None`: unknown), `unit`
    their plural noun (`sentences`).
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, ProgressColumn, Task

    class Rate(ProgressColumn):
        def render(self, task: Task) -> str:
            return f"{task.finished_speed or task.speed or 0:,.0f} {unit}/s"

    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), Rate())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        yield partial(bar.advance, bar.add_task(description, total=total))
