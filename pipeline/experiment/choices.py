"""Write into `experiments/params.yaml`, where DVC reads it, what a run of a table is to be.

Values alone change: comments, order and layout of the file stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from mgsa.base.io import atomic_file, read_text


def write_values(path: Path, values: Mapping[tuple[str, ...], str | int]) -> None:
    """Put values in the place of those that are there.

    Args:
        values: text or numbers, by the keys that lead to each: `("tables", "main", "num_seeds")`.

    Raises:
        KeyError: there is no such key.
        InputError: the file can't be read, or be written to.
    """
    text = read_text(path)
    content: yaml.Node | None = yaml.compose(text, yaml.SafeLoader)
    places = {_place(content, keys): value for keys, value in values.items()}
    for (start, end), value in sorted(places.items(), reverse=True):
        text = text[:start] + _as_yaml(value) + text[end:]
    with atomic_file(path) as file:
        file.write(text)


def _place(content: yaml.Node | None, keys: Sequence[str]) -> tuple[int, int]:
    """Where in its text the value of a key starts and ends."""
    node = content
    for key in keys:
        if not isinstance(node, yaml.MappingNode):
            raise KeyError(key)
        node = {name.value: value for name, value in node.value}[key]
    assert node is not None
    return node.start_mark.index, node.end_mark.index


def _as_yaml(value: str | int) -> str:
    """A value on one line, text in quotes."""
    if isinstance(value, int):
        return str(value)
    endless = len(value) * 10 + 10  # no character takes more to write
    return yaml.safe_dump(value, default_style='"', allow_unicode=True, width=endless).rstrip("\n")
