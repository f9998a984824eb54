"""Sentences with their trees to probe an encoder on, drawn into disjoint splits."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from mgsa.base.errors import InputError
from pipeline.base.stage import SPLITS
from pipeline.base.text import read_parallel
from pipeline.parsing.treebank import TextSpelling, spelled_words, without_empty_elements
from pipeline.tokens.trees import FRAGMENT, ROOT, UNKNOWN, bracketed, read_treebank

_FLAT = re.compile(rf"\({ROOT} \({FRAGMENT}(?: \({UNKNOWN} [^ ()]+\))+\)\)")


class ProbeSentence(NamedTuple):
    """A sentence of tokenised text, with trees as text.

    Attributes:
        line: in its files, from 1.
        tree: whose labels it has.
        phrases: the tree whose phrases an encoder sees.
    """

    line: int
    tokens: str
    tree: str
    phrases: str


@dataclass(frozen=True)
class SentenceFiles:
    """The files of `ProbeSentence`: tokens and trees, a line each; or one treebank for all."""

    tokens: Path
    trees: Path
    phrases: Path

    @classmethod
    def of(cls, trees: str, *, parsed: Path, tokenized: Path, split: str) -> SentenceFiles:
        """The files for the setting `trees`.

        Args:
            parsed, tokenized: the folders of the stages.

        Raises:
            InputError: one of the files is missing.
        """
        tokens, phrases = tokenized / f"{split}.source", parsed / f"{split}.trees"
        match trees:
            case "parsed":
                files, hint = cls(tokens, phrases, phrases), ""
            case "gold":
                files = cls(tokens, tokenized / f"{split}.trees", phrases)
                hint = ": probe_data.trees is gold, so the corpus brings them"
            case _:
                files = cls(Path(trees), Path(trees), Path(trees))
                hint = ": probe_data.trees takes parsed, gold, or a file of bracketed trees"
        for path in (files.tokens, files.trees, files.phrases):
            if not path.is_file():
                message = f"no such file{hint if path == files.trees else ''}"
                raise InputError(message, path=path)
        return files

    def sentences(self, language: str) -> Iterator[ProbeSentence]:
        """All sentences, as they are read; `language` is their code.

        Raises:
            InputError: a file is missing or malformed, or has fewer lines than another.
        """
        if self.tokens == self.trees:
            return read_bank(self.trees, language)
        lines = read_parallel([self.tokens, self.trees, self.phrases])
        return (ProbeSentence(line, *texts) for line, texts in enumerate(lines, start=1))


@dataclass(frozen=True)
class DrawnSentences:
    """The sentences of each split in the order of their file, and counts.

    Attributes:
        read: all sentences.
        duplicates: repeated ones, left out.
        flat: those with a flat tree, which says nothing of syntax, left out.
    """

    splits: dict[str, list[ProbeSentence]]
    read: int
    duplicates: int
    flat: int


def read_bank(path: Path, language: str) -> Iterator[ProbeSentence]:
    """The sentences of a file of bracketed trees, without empty elements (`-NONE-`).

    Their leaves are spelled like the tokens of a corpus of that language.

    Raises:
        InputError: a tree is malformed; the file is missing, not UTF-8, or has no tree.
    """
    from pipeline.tokens.moses import MosesText

    spell = TextSpelling(MosesText(language))
    for number, tree in enumerate(read_treebank(path), start=1):
        gold = without_empty_elements(tree)
        if gold is not None:
            gold = spell(gold)
            text = bracketed(gold)
            yield ProbeSentence(number, " ".join(spelled_words(gold)), text, text)


def draw_splits(
    sentences: Iterable[ProbeSentence], *, most: int, shares: Sequence[int], seed: int
) -> DrawnSentences:
    """Draw up to `most` sentences with different texts into splits.

    Sentences are ranked by a hash of seed and text, and the first ones are taken: order and
    repetition in the corpus make no difference. Memory holds no more than `most` of them.

    Args:
        shares: of train, valid and test; train gets the remainder of the division.
    """
    counts = Counter(read=0, duplicates=0, flat=0)
    seen: set[int] = set()

    def ranked() -> Iterator[tuple[int, ProbeSentence]]:
        for sentence in sentences:
            counts["read"] += 1
            rank = _rank(sentence.tokens, seed)
            if _FLAT.fullmatch(sentence.tree):
                counts["flat"] += 1
            elif rank in seen:
                counts["duplicates"] += 1
            else:
                seen.add(rank)
                yield rank, sentence

    drawn = [sentence for _, sentence in heapq.nsmallest(most, ranked())]
    _, valid, test = (len(drawn) * share // sum(shares) for share in shares)
    bounds = [0, len(drawn) - valid - test, len(drawn) - test, len(drawn)]
    splits = {
        split: sorted(drawn[start:stop])
        for split, (start, stop) in zip(SPLITS, pairwise(bounds), strict=True)
    }
    return DrawnSentences(splits, **counts)


def _rank(tokens: str, seed: int) -> int:
    digest = blake2b(f"{seed}\n{tokens}".encode(), digest_size=16).digest()
    return int.from_bytes(digest, "big")
