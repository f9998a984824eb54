"""Parsed sentences, remembered in one file between runs.

A sentence is known by a digest of the parser's identity and its tokens, so that another parser, or
the same one trained anew with another outcome, starts from nothing, and a corpus that grew costs
only what is new.
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
_TABLE = "CREATE TABLE trees (key BLOB PRIMARY KEY, tree TEXT NOT NULL) WITHOUT ROWID"
_NOT_OURS = frozenset(
    {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_TOOBIG}
)
"""Errors of the file's content, as opposed to those of the disk."""


class ParseMemory:
    """Trees by digest in an SQLite file that survives a kill and serves several runs at once.

    Raises:
        InputError: at any time: the file is something else than such a memory, or damaged.
        OSError: at any time: it can't be opened, read or written; the disk may be full.
    """

    def __init__(self, path: Path, parser_identity: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._seed = parser_identity.encode()
        with self._naming():
            self._database = sqlite3.connect(path, timeout=_WAIT_SECONDS)
            try:
                self._database.execute("PRAGMA trusted_schema=OFF")
                # A write-ahead log lets others read while we write; `NORMAL` can lose the last
                # sentences in a power cut, never the file.
                self._database.execute("PRAGMA journal_mode=WAL")
                self._database.execute("PRAGMA synchronous=NORMAL")
                self._make_table()
            except sqlite3.Error:
                self._database.close()
                raise

    def _make_table(self) -> None:
        """Make the one table, and check that there is nothing else.

        What a file holds besides runs when the table is read or written: a view that is called like
        it, a trigger. It may have no end.
        """
        with self._database:
            self._database.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
        found = self._database.execute("SELECT sql FROM sqlite_schema LIMIT 2").fetchall()
        if found != [(_TABLE,)]:
            raise sqlite3.DatabaseError("its tables are others")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> ParseMemory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def key(self, tokens: Sequence[str]) -> bytes:
        """The digest of a sentence under this parser; tokens hold no space, so none run on."""
        text = " ".join(tokens).encode()
        return hashlib.blake2b(text, digest_size=16, key=self._seed[:64]).digest()

    def known(self, keys: Iterable[bytes]) -> set[bytes]:
        """Those of `keys` whose trees are remembered."""
        return {key for (key,) in self._select("key", keys)}

    def trees(self, keys: Iterable[bytes]) -> dict[bytes, str]:
        """The trees of those of `keys` that are remembered."""
        found = dict(self._select("key, tree", keys))
        for tree in found.values():
            if not isinstance(tree, str):
                message = "expected a memory of parsed sentences, one of which is no text"
                raise InputError(message, path=self._path)
        return found

    def store(self, trees: Mapping[bytes, str]) -> None:
        """Remember trees, at once and for good."""
        with self._naming(), self._database:
            self._database.executemany(
                "INSERT OR REPLACE INTO trees VALUES (?, ?)", sorted(trees.items())
            )

    def _select(self, columns: str, keys: Iterable[bytes]) -> Iterator[tuple]:
        wanted = list(keys)
        for start in range(0, len(wanted), _LOOKUP_KEYS):
            some = wanted[start : start + _LOOKUP_KEYS]
            marks = ",".join("?" * len(some))
            query = f"SELECT {columns} FROM trees WHERE key IN ({marks})"
            with self._naming(), closing(self._database.execute(query, some)) as rows:
                yield from rows

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """What SQLite says of a file that is none of ours, or of a full disk, with its name."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code not in _NOT_OURS:
                raise OSError(errno.EIO, str(error), str(self._path)) from error
            message = f"expected a memory of parsed sentences: {error}; without the file, all is"
            raise InputError(f"{message} parsed anew", path=self._path) from None
