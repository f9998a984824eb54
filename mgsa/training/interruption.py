"""SIGTERM and SIGINT: finish the update, save, leave; the same command goes on from there."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType


class Interrupted(SystemExit):
    """A run saved and left on a signal: the process ends with status 128 + its number.

    That is 143 for SIGTERM and 130 for SIGINT, as shells report a process that the signal ended.
    """

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)


class Interruption:
    """While in use, remembers the first SIGTERM or SIGINT; a second SIGINT interrupts at once."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._previous: dict[int, signal._HANDLER] = {}

    def __enter__(self) -> Interruption:
        # Python lets only the main thread set handlers; a library user elsewhere keeps theirs.
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT and self.signal == signal.SIGINT:
            raise KeyboardInterrupt
        self.signal = number
