"""A parser for the machines of a Ray cluster, which need not have it on a disk of theirs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mgsa.base.errors import InputError
from pipeline.parsing.parser_folder import FILE, read_parser_folder


@dataclass(frozen=True)
class SentParser:
    """A parser folder as it is sent to workers.

    Attributes:
        path: where it lies on the machine that sent it.
        identity: of the parser.
        files: its files in the cluster's object store, by their paths within.
    """

    path: Path
    identity: str
    files: Mapping[str, Any]

    @contextmanager
    def unpacked(self) -> Iterator[Path]:
        """The folder on this machine: the one at the same path, where that is the same parser.

        Otherwise it is unpacked for the time of the block. Each worker has a copy of its own then,
        and no other process can put files into it.
        """
        import ray

        if _is_at(self.path, self.identity):
            yield self.path
            return
        with tempfile.TemporaryDirectory(prefix="parser-") as name:
            folder = Path(name)
            for within, content in self.files.items():
                file = folder / within
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(ray.get(content))
            yield folder


def send_parser(folder: Path) -> SentParser:
    """Put a parser folder into the object store of the cluster that Ray is connected to.

    Raises:
        InputError: the folder is no parser's, or a file of it changed.
    """
    import ray

    parser = read_parser_folder(folder)
    files = {name: ray.put((folder / name).read_bytes()) for name in (FILE, *parser.files)}
    return SentParser(folder.resolve(), parser.identity, files)


def _is_at(path: Path, identity: str) -> bool:
    try:
        return read_parser_folder(path).identity == identity
    except (InputError, OSError):
        return False
