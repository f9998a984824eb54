"""Words to subwords by byte-pair encoding: one object for training and inference.

Sennrich et al. 2016; subword-nmt applies the merges, with its `@@ ` marks, and undoes those that
give a subword outside the vocabulary, so that no subword of a text is rare in training.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from mgsa.base.errors import InputError
from mgsa.base.io import open_to_write, read_lines

CODES = "bpe.codes"
"""The file of merges in a folder that has them; `vocab.SIDE` beside it counts the subwords."""

MARK = "@@"
"""Suffix of a subword that does not end its word."""

CACHE_WORDS = 200_000
"""Size of the cache of split words."""

_VERSION = "#version: 0.2"
_END_OF_WORD = "</w>"
_COUNT = re.compile("[0-9]{1,18}")


class SubwordSplitter:
    """Splits words as `subword-nmt apply-bpe --vocabulary` does."""

    def __init__(self, codes: Path, vocabulary: Collection[str] | None) -> None:
        """
        Args:
            codes: file of merges.
            vocabulary: the allowed subwords, marks included; single characters are always allowed.
                `None`: no merge is undone.

        Raises:
            InputError: `codes` is malformed, or of another vocabulary.
        """
        from subword_nmt.apply_bpe import BPE

        merges = read_merges(codes)
        if vocabulary is not None:
            _check_made(vocabulary, merges, codes)
        text = "".join(f"{line}\n" for line in (_VERSION, *map(" ".join, merges)))
        self._bpe = BPE(io.StringIO(text), len(merges), separator=MARK, vocab=vocabulary)
        self._known: dict[str, tuple[str, ...]] = {}

    @classmethod
    def load(cls, folder: Path, side: str, *, threshold: int) -> SubwordSplitter:
        """The splitter of one side's text, whose files the `bpe` stage wrote.

        Args:
            folder: that stage's output, or an artifact with copies of the files.
            side: `source` or `target`.
            threshold: rarer subwords are split further.

        Raises:
            InputError: a file is missing or malformed, or the two don't belong together.
        """
        counts = read_subword_counts(folder / f"vocab.{side}")
        return cls(folder / CODES, frozenset(frequent_subwords(counts, threshold)))

    def split(self, tokens: Iterable[str]) -> list[str]:
        """The subwords of all `tokens`, marked."""
        known = self._known
        subwords: list[str] = []
        for token in tokens:
            subwords += known.get(token) or self.split_word(token)
        return subwords

    def split_word(self, word: str) -> tuple[str, ...]:
        """The subwords of one word, marked."""
        if len(self._known) >= CACHE_WORDS:
            self._known.clear()
        subwords = tuple(self._bpe.segment_tokens([word]))
        self._bpe.cache.clear()  # ours holds the marks too, and is bounded
        self._known[word] = subwords
        return subwords


def read_merges(path: Path) -> list[tuple[str, str]]:
    """The merges of a file of BPE codes, in order.

    Raises:
        InputError: no such file, not of version 0.2, or a line that is not two symbols.
    """
    lines = read_lines(path)
    version = next(lines, "")
    if version != _VERSION:
        raise InputError(f"expected BPE codes: {_VERSION!r}, got {version!r}", path=path, line=1)
    merges = []
    for number, line in enumerate(lines, start=2):
        symbols = line.split(" ")
        if len(symbols) != 2 or not all(symbols):
            raise InputError(
                f"expected a merge of two symbols, got {line!r}", path=path, line=number
            )
        merges.append((symbols[0], symbols[1]))
    return merges


def read_subword_counts(path: Path) -> dict[str, int]:
    """Subwords and their counts, most frequent first, from a file of `subword count` lines.

    Raises:
        InputError: no such file, or a line that is not a subword and its count.
    """
    counts: dict[str, int] = {}
    for number, line in enumerate(read_lines(path), start=1):
        subword, _, count = line.partition(" ")
        if not subword or not _COUNT.fullmatch(count):
            raise InputError(f"expected `subword count`, got {line!r}", path=path, line=number)
        if subword in counts:
            raise InputError(f"{subword!r} is here twice", path=path, line=number)
        counts[subword] = int(count)
    return counts


def write_subword_counts(path: Path, counts: Mapping[str, int]) -> None:
    """Write subwords and their counts, most frequent first; equals keep their order."""
    with open_to_write(path) as file:
        for subword, count in sorted(counts.items(), key=lambda item: -item[1]):
            file.write(f"{subword} {count}\n")


def frequent_subwords(counts: Mapping[str, int], threshold: int) -> list[str]:
    """The subwords with a count of at least `threshold`."""
    return [subword for subword, count in counts.items() if count >= threshold]


def check_subwords(folder: Path, side: str, subwords: Iterable[str]) -> None:
    """Check that the files in `folder` are those by which one side's training text was split.

    Args:
        subwords: the different ones of that text.

    Raises:
        InputError: a file is missing or malformed, or is of another corpus.
    """
    path = folder / f"vocab.{side}"
    counts = read_subword_counts(path)
    _check_made(counts, read_merges(folder / CODES), folder / CODES)
    for subword in subwords:
        if subword not in counts and len(subword.removesuffix(MARK)) > 1:
            raise InputError(
                f"{subword!r} of train.{side} is not in this vocabulary: it is of another corpus",
                path=path,
            )


def _check_made(vocabulary: Iterable[str], merges: Sequence[tuple[str, str]], codes: Path) -> None:
    """Check that a merge gives each subword of several characters."""
    made = {left + right for left, right in merges}
    for subword in vocabulary:
        inner = subword.removesuffix(MARK)
        # A word of the text may itself end in the mark, so both readings are tried.
        if len(inner) > 1 and made.isdisjoint((inner, subword + _END_OF_WORD)):
            raise InputError(
                f"no merge gives {subword!r}: these codes and the vocabulary are of different "
                "corpora",
                path=codes,
            )
