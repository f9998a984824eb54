"""Errors that end a command in one line: a user's mistake, failed work, lack of memory."""

from os import PathLike


class InputError(ValueError):
    """A user's mistake: prints `error: <file>:<line>: <message>` and exits with status 2."""

    def __init__(
        self, message: str, *, path: str | PathLike[str] | None = None, line: int | None = None
    ) -> None:
        where = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(f"{where}{message}")


class FailedError(RuntimeError):
    """Work that fails by no mistake of the user's: one line, exit status 1."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out; torch raises a `RuntimeError` that only its message tells apart."""
    words = (
        *("out of memory", "DefaultCPUAllocator: ", "std::bad_alloc"),
        *("could not create a primitive", "could not create a memory"),  # oneDNN's
        *("_ALLOC_FAILED", "_ALLOCATION_FAILED"),  # cuBLAS's, cuDNN's
        *("failed to map segment", "annot allocate memory"),  # of an import
        "error return without exception set",  # of one in C
    )
    tells = isinstance(error, (RuntimeError, ImportError, SystemError))
    return isinstance(error, MemoryError) or (tells and any(w in str(error) for w in words))


def refusal_of(error: BaseException) -> str | None:
    """What the system refused, memory or a thread or another open file, which no `OSError` says."""
    if is_out_of_memory(error):
        return "out of memory; smaller batches or a smaller model need less"
    refused = ("can't start new thread", "Too many open files")
    return next((words for words in refused if words in str(error)), None)
