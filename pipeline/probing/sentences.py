"""Sentences with their trees to probe an encoder on, drawn into splits that share none."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from pipeline.base.stage import SPLITS
from pipeline.base.text import read_parallel
from pipeline.parsing.treebank import TextSpelling, spelled_words, without_empty_elements
from pipeline.trees import FRAGMENT, ROOT, UNKNOWN, bracketed, read_treebank

_FLAT = re.compile(rf"\({ROOT} \({FRAGMENT}(?: \({UNKNOWN} [^ ()]+\))+\)\)")


class ProbeSentence(NamedTuple):
    """A sentence of tokenised text, with trees as text.

    Attributes:
        line: which one it is in its files.
        tree: whose labels it has.
        phrases: the tree whose phrases an encoder sees.
    """

    line: int
    tokens: str
    tree: str
    phrases: str


@dataclass(frozen=True)
class SentenceFiles:
    """Where sentences are from, one on each line: tokens, and the trees that `ProbeSentence` has.

    All are the same file of trees where these come without a text.
    """

    tokens: Path
    trees: Path
    phrases: Path

    def sentences(self, language: str) -> Iterator[ProbeSentence]:
        """All sentences, as they are read.

        Args:
            language: theirs, by its code.

        Raises:
            InputError: a file is missing or malformed, or has fewer lines than another.
        """
        if self.tokens == self.trees:
            return read_bank(self.trees, language)
        lines = read_parallel([self.tokens, self.trees, self.phrases])
        return (ProbeSentence(line, *texts) for line, texts in enumerate(lines, start=1))


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


def read_bank(path: Path, language: str) -> Iterator[ProbeSentence]:
    """The sentences of a file of bracketed trees; their leaves are the tokens.

    Words are spelled as the tokens of a corpus of that language, in the trees too, and empty
    elements (`-NONE-`) are left out.

    Raises:
        InputError: a tree is malformed; the file is missing, not UTF-8, or has no tree.
    """
    from pipeline.moses import MosesText

    spell = TextSpelling(MosesText(language))
    for number, tree in enumerate(read_treebank(path), start=1):
        gold = without_empty_elements(tree)
        if gold is not None:
            gold = spell(gold)
            tree = bracketed(gold)
            yield ProbeSentence(number, " ".join(spelled_words(gold)), tree, tree)


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
    seen: set[int] = set()
    read = flat = duplicates = 0
    drawn: list[tuple[int, ProbeSentence]] = []  # a heap, with the last place on top
    for sentence in sentences:
        read += 1
        if _FLAT.fullmatch(sentence.tree):
            flat += 1
            continue
        place = _place(sentence.tokens, seed)
        if place in seen:
            duplicates += 1
        elif len(drawn) < most:
            heapq.heappush(drawn, (-place, sentence))
        else:
            heapq.heappushpop(drawn, (-place, sentence))
        seen.add(place)
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
