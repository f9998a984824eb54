"""Running a command: exit status, one-line errors, signals, memory, cores, stdout, progress."""

import ctypes
import errno
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from html import escape
from io import RawIOBase, TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import IO, TypeVar

from mgsa.cli.errors import FailedError, InputError, refusal_of
from mgsa.cli.files import atomic_file

T = TypeVar("T")

DONE, FAILED, BAD_INPUT = 0, 1, 2
INTERRUPTED, TERMINATED = (128 + number for number in (signal.SIGINT, signal.SIGTERM))

LONGEST_MESSAGE = 2000
"""Characters."""

STANDARD_OUTPUT = "-"
"""The file name that stands for stdout."""


class Terminated(BaseException):
    """SIGTERM came."""


def run(main: Callable[[Sequence[str] | None], None], argv: Sequence[str] | None = None) -> int:
    """Run a command's `main` and give its exit status.

    `InputError`, `FailedError` and the system's errors (full disk, no permission, no memory) are
    one line on stderr; a bug keeps its traceback.
    """
    _open_closed_streams()
    _keep_freed_memory()
    _have_a_home()
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # of the time of imports
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # it may be ASCII
    try:
        Path.cwd()  # libraries of torch's end the process if it has been removed
        with handling_signals(_terminate, signal.SIGTERM), _repeated_signals(), _lasting_streams():
            try:
                main(argv)
            except SystemExit:  # of --help
                print(end="", flush=True)
                raise
            print(end="", flush=True)  # a failing flush is still an OSError here
    except InputError as error:
        return _fail(str(error), BAD_INPUT)
    except FailedError as error:
        return _fail(str(error), FAILED)
    except OSError as error:
        _flush_or_abandon_stdout()
        if isinstance(error, BrokenPipeError):  # the reader is gone (`| head`)
            return DONE
        return _fail(_described(error), FAILED)
    except (MemoryError, RuntimeError, ImportError, SystemError) as error:
        if (message := refusal_of(error)) is None:
            raise
        return _fail(message, FAILED)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # another one finds libraries at their exits
        return _fail("interrupted", INTERRUPTED)
    except Terminated:
        return _fail("terminated", TERMINATED)
    return DONE


@contextmanager
def handling_signals(
    handler: Callable[[int, FrameType | None], None], *numbers: signal.Signals
) -> Iterator[None]:
    """Handle signals by `handler` within the block."""
    previous = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, before in previous.items():
            signal.signal(number, before)


def _open_closed_streams() -> None:
    """Start anew with what fails in place of closed streams, or a file takes their place."""
    streams = ((sys.stdin, os.O_WRONLY), (sys.stdout, os.O_RDONLY), (sys.stderr, os.O_WRONLY))
    closed = {number: mode for number, (stream, mode) in enumerate(streams) if stream is None}
    for number, mode in closed.items():
        os.dup2(os.open(os.devnull, mode), number)
        os.set_inheritable(number, True)  # also if it was opened as just this one
    if closed:
        os.execv(sys.executable, sys.orig_argv)


def _have_a_home() -> None:
    """Give a user without a home the root folder, as libraries ask for one while they load."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = os.sep


def _keep_freed_memory() -> None:
    """Have glibc keep large freed blocks, which models take again at every step."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have none
    if mallopt is not None:
        for parameter in (-1, -3):  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
            mallopt(parameter, (1 << 31) - 1)


def set_omp_wait_policy() -> None:
    """Have torch's threads wait asleep, if other work keeps a fifth of the cores busy.

    They wait for each other by spinning: beside a busy process two of them have less than half the
    speed of one, asleep nine tenths; but on idle cores sleep costs half. No result depends on it.
    It is for the time before torch is imported, and takes a fifth of a second.
    """
    told = {"OMP_WAIT_POLICY", "OMP_NUM_THREADS", "LOCAL_RANK"} & os.environ.keys()
    if told or "torch" in sys.modules:
        return
    with suppress(AttributeError, OSError, ValueError):  # a system that is no Linux, or tells less
        before = _core_times()
        time.sleep(0.2)
        idle, total = (new - old for new, old in zip(_core_times(), before, strict=True))
        if idle < 0.8 * total:
            os.environ["OMP_WAIT_POLICY"] = "passive"
            print(f"cores are busy ({1 - idle / total:.0%}): threads wait asleep", file=sys.stderr)


def _core_times() -> tuple[int, int]:
    """Idle and total time of the cores that this process may use, since the system's start."""
    cores = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    lines = map(str.split, Path("/proc/stat").read_text().splitlines())
    # user, nice, system, idle, iowait, irq, softirq, steal
    times = [[int(field) for field in fields[:8]] for name, *fields in lines if name in cores]
    return sum(sum(fields[3:5]) for fields in times), sum(map(sum, times))


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise Terminated  # unwinds, so that files and processes are cleaned up


@contextmanager
def _repeated_signals() -> Iterator[None]:
    """Send a signal again whose exception Python drops, as it does within `__del__`."""
    before = sys.unraisablehook

    def repeat(dropped: "sys.UnraisableHookArgs") -> None:
        numbers = {KeyboardInterrupt: signal.SIGINT, Terminated: signal.SIGTERM}
        if number := numbers.get(dropped.exc_type):
            thread = threading.main_thread().ident
            threading.Timer(0.02, signal.pthread_kill, (thread, number)).start()
        else:
            before(dropped)

    sys.unraisablehook = repeat
    try:
        yield
    finally:
        sys.unraisablehook = before


class _LastingStderr(TextIOWrapper):
    """stderr that goes on without its reader, as what a command writes does not depend on it."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return len(text)


@contextmanager
def _lasting_streams() -> Iterator[None]:
    """A stderr that goes on, and a stdout with a buffer, also under PYTHONUNBUFFERED.

    Without one, a line that a full disk cuts would be no error.
    """
    with ExitStack() as streams:
        out, err = sys.stdout, sys.stderr
        if isinstance(out, TextIOWrapper) and isinstance(out.buffer, RawIOBase):
            buffered = streams.enter_context(
                open(out.fileno(), "w", 1, out.encoding, out.errors, closefd=False)
            )
            streams.enter_context(redirect_stdout(buffered))
            streams.callback(_flush_or_abandon_stdout)
        if isinstance(err, TextIOWrapper) and err is sys.__stderr__:
            lasting = _LastingStderr(err.buffer, err.encoding, err.errors, line_buffering=True)
            streams.callback(lasting.detach)  # leaves stderr open
            streams.enter_context(redirect_stderr(lasting))
        yield


def _flush_or_abandon_stdout() -> None:
    """Keep the interpreter's last flush from failing: redirect a broken stdout to /dev/null."""
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _described(error: OSError) -> str:
    """A system's error with its file or, if it names none, with what it must be of."""
    match error.errno:
        case _ if error.filename:
            place = f"{error.filename}: "
        case errno.EBADF:
            place = "a closed stdin or stdout: "
        case errno.ENOENT:
            place = "current folder: "
        case errno.EMFILE | errno.EAGAIN:  # too many open files or processes
            place = ""
        case _:
            place = "stdout: "
    return f"{place}{error.strerror or error}"


def _fail(message: str, status: int) -> int:
    print(f"error: {one_line(message)}", file=sys.stderr)
    return status


def one_line(text: str) -> str:
    r"""`text` truncated, with control characters escaped (`\n`, `\x1b`)."""
    return visible(text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}…")


def visible(text: str) -> str:
    r"""`text` with control characters escaped (`\n`, `\x1b`), which a terminal would obey."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def markdown_text(text: str) -> str:
    """Text as it stands, in a line of Markdown or a cell of its tables."""
    return re.sub(r"[\\`*\[\]|]", r"\\\g<0>", escape(one_line(text)))


def for_stdout(line: str) -> str:
    """A line of data as it may be written to stdout: `visible` on a terminal."""
    return visible(line) if sys.stdout.isatty() else line


class _Terminal(TextIOWrapper):
    def write(self, text: str) -> int:
        return super().write("\n".join(map(visible, text.split("\n"))))


@contextmanager
def opened(name: str) -> Iterator[IO[str]]:
    """Open `name` to write text, atomically; `-` is stdout."""
    if name == STANDARD_OUTPUT:
        stream = _Terminal if sys.stdout.isatty() else TextIOWrapper
        out = stream(sys.stdout.buffer, encoding="utf-8", newline="\n")
        try:
            yield out
        finally:
            out.detach()  # flushes, and leaves stdout open
    else:
        with atomic_file(Path(name)) as file:
            yield file
