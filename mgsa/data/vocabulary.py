"""Vocabularies of subwords; names of tags and classes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json
from mgsa.cli.settings import from_mapping

PAD, BOS, EOS, UNK = 0, 1, 2, 3
SPECIAL_SYMBOLS = ("<pad>", "<s>", "</s>", "<unk>")
_CONTINUES = re.compile("@@( |$)")


class Vocabulary:
    """Symbols by id, and ids by symbol; the first four ids are `SPECIAL_SYMBOLS`."""

    def __init__(self, symbols: Sequence[str]) -> None:
        if tuple(symbols[: len(SPECIAL_SYMBOLS)]) != SPECIAL_SYMBOLS:
            raise ValueError(f"expected the first symbols to be {' '.join(SPECIAL_SYMBOLS)}")
        self.symbols = tuple(symbols)
        self._ids = {symbol: index for index, symbol in enumerate(self.symbols)}
        if len(self._ids) != len(self.symbols):
            raise ValueError("expected every symbol once")

    @classmethod
    def of(cls, subwords: Iterable[str]) -> Vocabulary:
        """The special symbols, then `subwords`; one spelled like a special symbol gets no id."""
        return cls([*SPECIAL_SYMBOLS, *(s for s in subwords if s not in SPECIAL_SYMBOLS)])

    def __len__(self) -> int:
        return len(self.symbols)

    def encode(self, subwords: Iterable[str]) -> list[int]:
        """Ids of subwords, `UNK` for unknown ones and those spelled like a special symbol."""
        ids = self._ids
        return [
            index if (index := ids.get(subword, UNK)) >= len(SPECIAL_SYMBOLS) else UNK
            for subword in subwords
        ]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Subwords of ids, without `PAD`, `BOS` and `EOS`."""
        return [self.symbols[index] for index in ids if index not in (PAD, BOS, EOS)]


@dataclass(frozen=True)
class _Lists:
    source: tuple[str, ...]
    target: tuple[str, ...] | None


def join_subwords(subwords: Iterable[str]) -> str:
    """Tokens separated by spaces: `Bu@@ sh held` is `Bush held`."""
    return _CONTINUES.sub("", " ".join(subwords))


def read_vocabularies(path: Path) -> tuple[Vocabulary, Vocabulary]:
    """Source and target vocabulary of a `vocab.json`, the same object twice if shared.

    The file is `{"source": [...], "target": [...] or null}`; otherwise an `InputError` is raised.
    """
    lists = from_mapping(_Lists, read_json(path), f"{path}: symbols")
    try:
        source = Vocabulary(lists.source)
        return source, source if lists.target is None else Vocabulary(lists.target)
    except ValueError as error:
        raise InputError(str(error), path=path) from None


def read_tags(path: Path) -> tuple[str, ...]:
    """Phrase tags by id, of a `tags.json`."""
    return from_mapping(tuple[str, ...], read_json(path), f"{path}: tags")


def read_classes(path: Path, columns: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Class names by label column and id, of a `labels.json`."""
    classes = from_mapping(dict[str, tuple[str, ...]], read_json(path), f"{path}: labels")
    for column in columns:
        if column not in classes:
            raise InputError(f"{column}: missing key", path=path)
    return classes
