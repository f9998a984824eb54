"""Sentences with their trees to probe an encoder on, drawn into splits that share none."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from pipeline.seen_pairs import SeenPairs, fingerprint
from pipeline.stage import SPLITS
from pipeline.text import read_parallel
from pipeline.treebank import spelled_words, without_empty_elements
from pipeline.trees import FRAGMENT, ROOT, UNKNOWN, read_treebank

_FLAT = re.compile(rf"\({ROOT} \({FRAGMENT}(?: \({UNKNOWN} [^ ()]+\))+\)\)")


class ProbeSentence(NamedTuple):
    """A sentence: which line or tree of its file it is, its tokens and its tree as text."""

    line: int
    tokens: str
    tree: str


@dataclass(frozen=True)
class DrawnSentences:
    """The sentences of each split in the order of their file, and what was left out.

    Attributes:
        read: sentences that were there.
        duplicates: those of them that were there before.
        flat: those without a tree but a flat one, which says nothing of syntax.
    """

    splits: dict[str, list[ProbeSentence]]
    read: int
    duplicates: int
    flat: int


def read_corpus(tokens: Path, trees: Path) -> Iterator[ProbeSentence]:
    """The sentences of tokenised text, whose trees stand in another file, line by line.

    Raises:
        InputError: the files differ in their numbers of lines, or one is missing or malformed.
    """
    for line, (text, tree) in enumerate(read_parallel([tokens, trees]), start=1):
        yield ProbeSentence(line, text, tree)


def read_bank(path: Path) -> Iterator[ProbeSentence]:
    """The sentences of a file of bracketed trees; their leaves are the tokens.

    Brackets in words are spelled as text has them, and empty elements (`-NONE-`) are left out.

    Raises:
        InputError: a tree is malformed; the file is missing, not UTF-8, or has no tree.
    """
    for number, tree in enumerate(read_treebank(path), start=1):
        words = without_empty_elements(tree)
        if words is not None:
            yield ProbeSentence(number, " ".join(spelled_words(words)), str(words))


def draw_splits(
    sentences: Iterable[ProbeSentence], *, most: int, shares: Sequence[int], seed: int
) -> DrawnSentences:
    """Draw up to `most` different sentences into splits, whose texts are all different.

    Every sentence has a place that follows from its text and the seed, and the first ones are
    taken: it matters neither where a sentence stands nor how often, and memory holds no more than
    `most` of them.

    Args:
        shares: of train, valid and test; what division leaves over is train's.
    """
    seen = SeenPairs()
    read = flat = duplicates = 0
    drawn: list[tuple[int, ProbeSentence]] = []  # a heap, with the last place on top
    for sentence in sentences:
        read += 1
        if _FLAT.fullmatch(sentence.tree):
            flat += 1
        elif not seen.add(fingerprint(sentence.tokens, "")):
            duplicates += 1
        elif len(drawn) < most:
            heapq.heappush(drawn, (-_place(sentence.tokens, seed), sentence))
        else:
            heapq.heappushpop(drawn, (-_place(sentence.tokens, seed), sentence))
    in_order = [sentence for _, sentence in sorted(drawn, reverse=True)]
    _, valid, test = (len(in_order) * share // sum(shares) for share in shares)
    bounds = [0, len(in_order) - valid - test, len(in_order) - test, len(in_order)]
    splits = {
        split: sorted(in_order[start:stop])
        for split, start, stop in zip(SPLITS, bounds, bounds[1:], strict=False)
    }
    return DrawnSentences(splits, read, duplicates, flat)


def _place(tokens: str, seed: int) -> int:
    digest = blake2b(f"{seed}\n{tokens}".encode(), digest_size=16).digest()
    return int.from_bytes(digest, "big")
