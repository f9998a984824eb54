"""What stops a command with one line: a mistake, work that can't be finished, lack of memory."""

from __future__ import annotations

import sys
from os import PathLike

# How torch says it of a CPU, for which it has no class: by its allocator, or by C++ itself.
_NO_MEMORY = ("DefaultCPUAllocator: ", "std::bad_alloc")


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
    """Whether memory ran out, on a GPU or a CPU."""
    if isinstance(error, MemoryError):
        return True
    torch = sys.modules.get("torch")  # whoever has not imported it gets no error of it
    return (
        torch is not None
        and isinstance(error, RuntimeError)
        and (
            isinstance(error, torch.OutOfMemoryError)
            or any(words in str(error) for words in _NO_MEMORY)
        )
    )
