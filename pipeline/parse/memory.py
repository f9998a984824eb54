"""A cache of parsed sentences in SQLite.

Keys are digests of the parser's identity and the tokens.
"""

from __future__ import annotations

import errno
import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from mgsa.cli.errors import InputError

_APPLICATION = int.from_bytes(b"mgsa")
"""SQLite's mark of whose file it is."""
_WAIT_SECONDS = 20.0


class ParseMemory:
    """Trees by key; crash-safe and shared by concurrent runs.

    Raises:
        InputError: at any time: the file is no such cache, or damaged.
        OSError: at any time: it can't be opened, read or written.
    """

    def __init__(self, path: Path, parser_identity: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._identity = parser_identity.encode()[: hashlib.blake2b.MAX_KEY_SIZE]
        with self._errors():
            self._database = sqlite3.connect(path, timeout=_WAIT_SECONDS)
            with self._database as database:
                database.execute("BEGIN IMMEDIATE")
                (application,) = database.execute("PRAGMA application_id").fetchone()
                (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
                if tables and application != _APPLICATION:
                    raise sqlite3.DatabaseError("another program's database")
                database.execute(f"PRAGMA application_id={_APPLICATION}")
                database.execute(
                    "CREATE TABLE IF NOT EXISTS "
                    "trees (key BLOB PRIMARY KEY, tree TEXT NOT NULL) WITHOUT ROWID"
                )
            # A write-ahead log lets others read while we write; `NORMAL` can lose the last
            # sentences in a power cut, never the file.
            self._database.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL")

    def __enter__(self) -> ParseMemory:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def key(self, tokens: Sequence[str]) -> bytes:
        """The key of a sentence for this parser."""
        text = " ".join(tokens).encode()
        return hashlib.blake2b(text, digest_size=16, key=self._identity).digest()

    def trees(self, keys: Iterable[bytes]) -> dict[bytes, str]:
        """The cached trees among `keys` (32,766 at most)."""
        keys = list(keys)
        query = f"SELECT key, tree FROM trees WHERE key IN ({','.join('?' * len(keys))})"
        with self._errors():
            return dict(self._database.execute(query, keys))

    def store(self, trees: Mapping[bytes, str]) -> None:
        """Cache trees, durably."""
        with self._errors(), self._database:
            self._database.executemany(
                "INSERT OR REPLACE INTO trees VALUES (?, ?)", sorted(trees.items())
            )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise OSError(errno.EIO, str(error), str(self._path)) from error
        except sqlite3.DatabaseError as error:
            message = f"expected a memory of parsed sentences, or no file yet: {error}"
            raise InputError(message, path=self._path) from None
