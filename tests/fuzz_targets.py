"""What atheris tries on readers of text: `python -m tests.fuzz_targets trees -runs=1000`.

It sees which code an input reaches, and changes inputs until they reach more. An error that is no
`InputError`, or a promise not kept, ends the process with a status other than 0.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TypeVar

import atheris

from tests.mutations import refusal

with atheris.instrument_imports(include=["mgsa.base.io", "pipeline.links", "pipeline.trees"]):
    from mgsa.word_links import format_links
    from pipeline.links import Notation, are_links, read_gold_links, read_links
    from pipeline.trees import bracketed, read_tree, read_treebank, read_trees

T = TypeVar("T")

_FILE = Path(tempfile.gettempdir()) / "fuzzed"


def trees(data: bytes) -> None:
    """A file of trees, one a line or indented: what is written of them is read back."""
    _FILE.write_bytes(data)
    for read in (read_trees, read_treebank):
        for tree in _taken(partial(read, _FILE), f"{_FILE}:") or ():
            assert read_tree(bracketed(tree)) == tree
            assert tree.leaves()


def links(data: bytes) -> None:
    """A line of links: two readers take the same ones, and what is written is read back."""
    text = data.decode("utf-8", errors="replace")
    found = _taken(partial(read_links, text, path="x", line=1), "x:1: ")
    assert are_links(text) == (found is not None)
    assert read_links(format_links(found or ())) == sorted(set(found or ()))
    for notation in (Notation(), Notation(first=1), Notation(target_first=True)):
        gold = _taken(partial(read_gold_links, text, notation, path="x", line=1), "x:1: ")
        assert all(min(link) >= 0 for kind in gold or () for link in kind)


def _taken(read: Callable[[], Iterable[T]], where: str) -> list[T] | None:
    """What a reader gives; `None` if it refuses, and says where."""
    found: list[T] = []
    said = refusal(lambda: found.extend(read()))
    assert said is None or said.startswith(where), said
    return found if said is None else None


TARGETS: dict[str, Callable[[bytes], None]] = {"trees": trees, "links": links}

if __name__ == "__main__":
    name = sys.argv.pop(1)
    atheris.Setup(sys.argv, TARGETS[name])
    atheris.Fuzz()
