"""Parsed sentences, remembered in an SQLite file between runs.

A sentence's key is a digest of the parser's identity and the tokens, so that another parser starts
from nothing, and a corpus that grew costs only what is new.
"""

from __future__ import annotations

import errno
import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from mgsa.base.errors import InputError

_LOOKUP_KEYS = 500  # well under SQLite's smallest limit of variables in a statement
_WAIT_SECONDS = 60.0
_NOT_OURS = frozenset({sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR})
"""Errors of the file's content, as opposed to those of the disk."""


class ParseMemory:
    """Trees by key; survives a kill, and serves several runs at once.

    Raises:
        InputError: at any time: the file is no such memory, or damaged.
        OSError: at any time: it can't be opened, read or written; the disk may be full.
    """

    def __init__(self, path: Path, parser_identity: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._identity = parser_identity.encode()[: hashlib.blake2b.MAX_KEY_SIZE]
        with self._errors():
            self._database = sqlite3.connect(path, timeout=_WAIT_SECONDS)
            try:
                # A write-ahead log lets others read while we write; `NORMAL` can lose the last
                # sentences in a power cut, never the file.
                self._database.execute("PRAGMA journal_mode=WAL")
                self._database.execute("PRAGMA synchronous=NORMAL")
                with self._database:
                    self._database.execute(
                        "CREATE TABLE IF NOT EXISTS trees "
                        "(key BLOB PRIMARY KEY, tree TEXT NOT NULL) WITHOUT ROWID"
                    )
            except sqlite3.Error:
                self._database.close()
                raise

    def __enter__(self) -> ParseMemory:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def key(self, tokens: Sequence[str]) -> bytes:
        """The key of a sentence under this parser."""
        text = " ".join(tokens).encode()
        return hashlib.blake2b(text, digest_size=16, key=self._identity).digest()

    def known(self, keys: Iterable[bytes]) -> set[bytes]:
        """Those of `keys` whose trees are remembered."""
        return {key for (key,) in self._select("key", keys)}

    def trees(self, keys: Iterable[bytes]) -> dict[bytes, str]:
        """The trees of those of `keys` that are remembered."""
        return dict(self._select("key, tree", keys))

    def store(self, trees: Mapping[bytes, str]) -> None:
        """Remember trees, durably."""
        with self._errors(), self._database:
            self._database.executemany(
                "INSERT OR REPLACE INTO trees VALUES (?, ?)", sorted(trees.items())
            )

    def _select(self, columns: str, keys: Iterable[bytes]) -> Iterator[tuple]:
        wanted = list(keys)
        for start in range(0, len(wanted), _LOOKUP_KEYS):
            some = wanted[start : start + _LOOKUP_KEYS]
            marks = ",".join("?" * len(some))
            query = f"SELECT {columns} FROM trees WHERE key IN ({marks})"
            with self._errors(), closing(self._database.execute(query, some)) as rows:
                yield from rows

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code not in _NOT_OURS:
                raise OSError(errno.EIO, str(error), str(self._path)) from error
            message = f"expected a memory of parsed sentences: {error}; without the file, all is"
            raise InputError(f"{message} parsed anew", path=self._path) from None
