"""Running a command: exit status, one-line errors, signals, stdout, progress quiet in logs."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import IO, BinaryIO, Literal, TextIO, TypeVar

from mgsa.base.errors import FailedError, InputError, is_out_of_memory
from mgsa.base.io import atomic_file

T = TypeVar("T")

DONE, FAILED, BAD_INPUT = 0, 1, 2
INTERRUPTED, TERMINATED = (128 + number for number in (signal.SIGINT, signal.SIGTERM))

LONGEST_MESSAGE = 2000
"""Characters."""

STANDARD_OUTPUT = "-"
"""What stands for stdout where a file is named."""


class Terminated(BaseException):
    """A SIGTERM came: leave what is being done, as Ctrl-C does."""


def run(main: Callable[[Sequence[str] | None], None], argv: Sequence[str] | None = None) -> int:
    """Run a command's `main` and give its exit status.

    A user's mistake (`InputError`), work that can't be finished (`FailedError`) and the system's
    refusals (a full disk, no permission, no memory) are one line on stderr; a bug keeps its
    traceback.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # it may be ASCII
    try:
        with handling_signals(_terminate, signal.SIGTERM):
            main(argv)
        if sys.stdout is not None:
            sys.stdout.flush()  # while what goes wrong can still be said in one line
    except InputError as error:
        return _fail(str(error), BAD_INPUT)
    except FailedError as error:
        return _fail(str(error), FAILED)
    except BrokenPipeError:
        _give_up_stdout()  # the reader went away (`| head`), which is not an error
        return DONE
    except OSError as error:
        try:
            if sys.stdout is not None:
                sys.stdout.flush()
        except OSError:
            _give_up_stdout()
        return _fail(f"{error.filename or 'stdout'}: {error.strerror or error}", FAILED)
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        return _fail("out of memory; smaller batches or a smaller model need less", FAILED)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except Terminated:
        return _fail("terminated", TERMINATED)
    return DONE


@contextmanager
def handling_signals(
    handler: Callable[[int, FrameType | None], None], *numbers: signal.Signals
) -> Iterator[None]:
    """Handle signals so; a thread other than the main one may not, and leaves them alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, before in previous.items():
            signal.signal(number, before)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise Terminated  # so that files and processes of the command end with it


def _give_up_stdout() -> None:
    """Let what stdout has not taken go nowhere, so that the interpreter's last flush succeeds."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, status: int) -> int:
    print(f"error: {one_line(message)}", file=sys.stderr)
    return status


def one_line(text: str) -> str:
    """`text` cut short and escaped (`\\n`, `\\x1b`), so that it gives a terminal no orders."""
    shown = text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)


def progress(
    items: Iterable[T], description: str, *, total: int | None, unit: str, size: Callable[[T], int]
) -> Iterator[T]:
    """Yield `items` under a `progress_bar`; each stands for `size(item)` units."""
    with progress_bar(description, total=total, unit=unit) as advance:
        for item in items:
            yield item
            advance(size(item))


@contextmanager
def progress_bar(
    description: str, *, total: int | None, unit: str
) -> Iterator[Callable[[int], None]]:
    """A bar on stderr if that is a terminal, advanced by units done.

    Args:
        description: such as `parse train`.
        total: units in all, `None` if unknown.
        unit: what is counted, in the plural: `sentences`.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f}" if total else "{task.completed:,.0f}"),
        TextColumn(unit + " {task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=sys.stderr)) as bar:
        task = bar.add_task(description, total=total, rate="")

        def advance(units: int) -> None:
            bar.advance(task, units)
            speed = bar.tasks[task].speed
            bar.update(task, rate=f"{speed:,.0f}/s" if speed else "")

        yield advance


def standard_stream(name: Literal["stdin", "stdout"]) -> BinaryIO:
    """The bytes of stdin or stdout.

    Raises:
        InputError: whoever started the command has closed it.
    """
    stream: TextIO | None = getattr(sys, name)
    if stream is None:
        raise InputError("expected an open stream, got a closed one", path=name)
    return stream.buffer


@contextmanager
def opened(name: str) -> Iterator[IO[str]]:
    """The file `name` to write text to, which replaces one that stands there; `-` is stdout."""
    if name == STANDARD_OUTPUT:
        out = TextIOWrapper(standard_stream("stdout"), encoding="utf-8", newline="\n")
        try:
            yield out
        finally:
            out.detach()  # flushes, and leaves stdout open
    else:
        with atomic_file(Path(name)) as file:
            yield file
