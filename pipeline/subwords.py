"""Words to subwords by byte-pair encoding, or to themselves: one object for training and inference.

Sennrich et al. 2016, in the form of subword-nmt: its `@@ ` marks, and merges that give a subword
outside the vocabulary are undone, so that no subword of a text is rare in training. With dropout
(Provilkov et al. 2020) its draws, too. A unit that is never split, a protected token or any word,
is `<unk>` if the vocabulary lacks it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from random import Random

from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write, read_lines
from mgsa.data.vocabulary import SPECIAL_SYMBOLS, UNK
from pipeline.formats.preprocessing import Preprocessing, Segmentation
from pipeline.formats.text import SIDES
from pipeline.formats.text_settings import NOTHING, Protected

CODES = "bpe.codes"
"""The file of merges in a folder that has them, or `bpe.codes.SIDE` for each side; `vocab.SIDE`
beside it counts the subwords."""

UNKNOWN = SPECIAL_SYMBOLS[UNK]
"""The subword of a word that is neither known nor split."""

MARK = "@@"
"""Suffix of a subword that does not end its word."""

CACHE_WORDS = 200_000
"""Size of the cache of split words."""

_VERSION = "#version: 0.2"
_END_OF_WORD = "</w>"


class SubwordSplitter:
    """Splits words as `subword-nmt apply-bpe --vocabulary --glossaries` does."""

    def __init__(
        self,
        codes: Path | None,
        vocabulary: Set[str] | None,
        *,
        whole: Callable[[str], bool] = NOTHING.covers,
        known: Set[str] = frozenset(),
    ) -> None:
        """Read the merges.

        Args:
            codes: file of merges; `None`: there are none.
            vocabulary: allowed subwords, marks included, beside all characters; `None`: any.
            whole: which words are not split.
            known: those of them that are not `UNKNOWN`. One that ends in the mark always is, since
                its end would be lost.

        Raises:
            InputError: `codes` is malformed, or of another vocabulary.
        """
        merges = read_merges(codes) if codes else []
        self._whole = whole
        self._known = known
        made = {left + right for left, right in merges}
        for subword in vocabulary or () if codes else ():
            inner = subword.removesuffix(MARK)
            # A word of the text may itself end in the mark, so both readings are tried.
            unmade = made.isdisjoint((inner, subword + _END_OF_WORD))
            if len(inner) > 1 and unmade and not self._whole(subword):
                message = f"no merge gives {subword!r}: these codes and the vocabulary are of"
                raise InputError(f"{message} different corpora", path=codes)
        self._vocabulary = vocabulary
        # Of equal merges, and of those that give the same symbol, the first counts.
        self._ranks = {merge: rank for rank, merge in reversed(list(enumerate(merges)))}
        self._halves = {left + right: (left, right) for left, right in self._ranks}
        self.split_word = lru_cache(CACHE_WORDS)(self.segment)

    @classmethod
    def load(
        cls, folder: Path, side: str, made: Segmentation, *, protected: Sequence[str] = ()
    ) -> SubwordSplitter:
        """The splitter of one side, by the files of the stage `bpe` or their copies in an artifact.

        Args:
            made: subwords that are rarer than its threshold are split further.
            protected: regular expressions of tokens that are not split.

        Raises:
            InputError: a file is missing or malformed, the two don't belong together, or all
                subwords are rarer.
        """
        counts = read_subword_counts(folder / f"vocab.{side}")
        allowed = allowed_subwords(counts, side, made)
        return cls(
            codes_path(folder, side) if made.unit == "bpe" else None,
            allowed if made.vocabulary_threshold else None,
            whole=whole_words(made.unit, protected),
            known=counts.keys(),
        )

    @classmethod
    def load_recorded(cls, folder: Path) -> list[SubwordSplitter]:
        """The splitters of both sides of a dataset or model artifact; errors as of `load`."""
        made = Preprocessing.read(folder)
        protected = made.tokenize.protected
        return [cls.load(folder, side, made.bpe, protected=protected) for side in SIDES]

    def split(self, tokens: Iterable[str]) -> list[str]:
        """The subwords of all `tokens`, marked."""
        return [subword for token in tokens for subword in self.split_word(token)]

    def segment(
        self, word: str, dropout: float = 0.0, generator: Random | None = None
    ) -> tuple[str, ...]:
        """The subwords of a word; with `generator`, each merge at each step may be dropped."""
        if self._whole(word):
            return (word if word in self._known and not word.endswith(MARK) else UNKNOWN,)
        symbols = self._merged(word, dropout, generator)
        last = len(symbols) - 1
        return tuple(
            s for i, symbol in enumerate(symbols) for s in self._allowed(symbol, i == last)
        )

    def _merged(self, word: str, dropout: float, generator: Random | None) -> list[str]:
        """The symbols of a word after all merges, the one learned first before others."""
        symbols = [*word[:-1], word[-1] + _END_OF_WORD] if word else []
        while len(symbols) > 1:
            pairs = [
                (self._ranks[pair], place, pair)
                for place, pair in enumerate(pairwise(symbols))
                if (generator is None or generator.random() > dropout) and pair in self._ranks
            ]
            if not pairs:
                break
            _, _, first = min(pairs)
            num_merged = 0
            for _, place, pair in pairs:
                here = slice(place - num_merged, place - num_merged + 2)
                if pair == first and symbols[here] == [*first]:  # not so if it overlaps the last
                    symbols[here] = ["".join(first)]
                    num_merged += 1
        return symbols

    def _allowed(self, symbol: str, final: bool) -> Iterator[str]:
        """A symbol as a marked subword, or those of its halves if the vocabulary lacks it."""
        subword = symbol.removesuffix(_END_OF_WORD) if final else symbol + MARK
        if not self._vocabulary or subword in self._vocabulary or symbol not in self._halves:
            yield subword
            return
        left, right = self._halves[symbol]
        yield from self._allowed(left, False)
        yield from self._allowed(right, final)


def codes_path(folder: Path, side: str) -> Path:
    """The codes of one side in a folder: its own or, if it has none, those of both."""
    own = folder / f"{CODES}.{side}"
    return own if own.is_file() else folder / CODES


def whole_words(unit: str, protected: Sequence[str]) -> Callable[[str], bool]:
    """Which words are not split: all, or protected ones."""
    return Protected(["(?s:.*)"] if unit == "word" else protected).covers


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
        left, _, right = line.partition(" ")
        if not left or not right or " " in right:
            message = f"expected a merge of two symbols, got {line!r}"
            raise InputError(message, path=path, line=number)
        merges.append((left, right))
    return merges


def read_subword_counts(path: Path) -> dict[str, int]:
    """Subwords and their counts, most frequent first, from a file of `subword count` lines.

    Raises:
        InputError: no such file, or a line that is not a subword and its count.
    """
    counts: dict[str, int] = {}
    for number, line in enumerate(read_lines(path), start=1):
        subword, _, count = line.partition(" ")
        if not subword or not count.isdecimal():
            raise InputError(f"expected `subword count`, got {line!r}", path=path, line=number)
        counts[subword] = int(count)
    return counts


def allowed_subwords(counts: Mapping[str, int], side: str, made: Segmentation) -> set[str]:
    """The subwords of one side that occur `vocabulary_threshold` times; words are all allowed.

    Raises:
        InputError: there are none, which subword-nmt would take for no vocabulary, and allow any.
    """
    threshold = made.vocabulary_threshold if made.unit == "bpe" else 0
    allowed = {subword for subword in counts if counts[subword] >= threshold}
    if not allowed:
        most = max(counts.values(), default=0)
        raise InputError(
            f"bpe.vocabulary_threshold: expected at most {most}, so often the most frequent {side} "
            f"subword occurs, got {threshold}"
        )
    return allowed


def write_subword_counts(path: Path, counts: Mapping[str, int]) -> None:
    """Write subwords and their counts, most frequent first; equals keep their order."""
    with open_to_write(path) as file:
        for subword, count in sorted(counts.items(), key=lambda item: -item[1]):
            file.write(f"{subword} {count}\n")
