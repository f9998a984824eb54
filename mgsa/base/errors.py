"""What stops a command with one line: a mistake, work that can't be finished, lack of memory."""

from __future__ import annotations

from os import PathLike


class InputError(ValueError):
    """Bad input or bad usage: one line saying where it is and what was expected.

    Commands print it as `error: <file>:<line>: <message>` and exit with status 2.
    """

    def __init__(
        self, message: str, *, path: str | PathLike[str] | None = None, line: int | None = None
    ) -> None:
        where = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(f"{where}{message}")


class FailedError(RuntimeError):
    """Work that can't be finished, by no mistake in its input: one line, and status 1."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out, on a GPU or a CPU, which torch tells in words alone."""
    words = ("out of memory", "DefaultCPUAllocator: ", "std::bad_alloc")
    told = isinstance(error, RuntimeError) and any(word in str(error) for word in words)
    return told or isinstance(error, MemoryError)
