"""The curves of a run: one JSON object a line, `{"update": 100, "train_loss": …}`.

They hold nothing that differs between two runs of the same settings (no times), so that they belong
to the model's artifact.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from mgsa.base.errors import InputError
from mgsa.base.io import atomic_file, open_to_write, read_lines

OnMetrics = Callable[[int, Mapping[str, float]], None]
"""Is told of every line of the curves, `(update, metrics)`: first those of the part of the run that
a checkpoint holds, then each as it comes."""


def ignore_metrics(update: int, metrics: Mapping[str, float]) -> None:
    """The observer who does nothing."""
    del update, metrics


def read_curves(path: Path) -> str:
    """The lines of a file of curves, as `Curves` takes them.

    Raises:
        InputError: the file is missing, or a line is not the metrics of an update.
    """
    lines = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            values = json.loads(line)
        except (ValueError, RecursionError):
            values = None
        is_update = isinstance(values, dict) and isinstance(values.get("update"), int)
        if not is_update or not all(isinstance(value, int | float) for value in values.values()):
            message = 'expected the metrics of an update, {"update": 100, …}'
            raise InputError(message, path=path, line=number)
        lines.append(f"{line}\n")
    return "".join(lines)


class Curves:
    """A file that grows by a line at a time, and an observer who is told of each."""

    def __init__(self, path: Path | None, text: str, on_metrics: OnMetrics) -> None:
        """Begin with `text`, the lines up to the checkpoint that the run goes on from.

        A process that is not to write has no `path`.
        """
        self._path = path
        self._on_metrics = on_metrics
        self._lines = text.splitlines(keepends=True)
        if path is not None:
            with atomic_file(path) as file:
                file.write(text)
        for line in self._lines:
            values = json.loads(line)
            on_metrics(values.pop("update"), values)

    @property
    def text(self) -> str:
        """All lines so far."""
        return "".join(self._lines)

    def append(self, update: int, metrics: Mapping[str, float]) -> None:
        """Write a line; a reader of the file sees it at once."""
        line = json.dumps({"update": update, **metrics}) + "\n"
        self._lines.append(line)
        if self._path is not None:
            with open_to_write(self._path, "a") as file:
                file.write(line)
        self._on_metrics(update, metrics)

    def at(self, update: int, name: str) -> dict[str, float]:
        """The newest metrics of `update` among which is `name`.

        Raises:
            InputError: there are none: the checkpoint that the run went on from lacked them.
        """
        for line in reversed(self._lines):
            values: dict[str, float] = json.loads(line)
            if values.pop("update") == update and name in values:
                return values
        raise InputError(f"curves: expected {name} at update {update}, where the run went on")
