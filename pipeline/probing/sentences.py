"""Sentences with their trees to probe an encoder on, drawn into disjoint splits."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from mgsa.base.errors import InputError
from pipeline.base.stage import SPLITS
from pipeline.base.text import read_parallel
from pipeline.parsing.treebank import TextSpelling, spelled_words, without_empty_elements
from pipeline.tokens.trees import FRAGMENT, ROOT, UNKNOWN, bracketed, read_treebank

_FLAT = re.compile(rf"\({ROOT} \({FRAGMENT}(?: \({UNKNOWN} [^ ()]+\))+\)\)")


class ProbeSentence(NamedTuple):
    """A line's number from 1, tokens, tree of its labels, tree of the phrases an encoder sees."""

    line: int
    tokens: str
    tree: str
    phrases: str


class SentenceFiles(NamedTuple):
    """The files of `ProbeSentence`: tokens and trees, a line each; or one treebank for all."""

    tokens: Path
    trees: Path
    phrases: Path


def find_files(trees: str, *, parsed: Path, tokenized: Path) -> SentenceFiles:
    """The files of the training split for the setting `trees`, given the folders of the stages."""
    tokens, phrases = tokenized / "train.source", parsed / "train.trees"
    labelled = {"parsed": phrases, "gold": tokenized / "train.trees"}.get(trees, Path(trees))
    if not labelled.is_file():
        hint = "probe_data.trees takes parsed, gold (if the corpus brings them), or a file of trees"
        raise InputError(f"no such file: {hint}", path=labelled)
    if trees in ("parsed", "gold"):
        return SentenceFiles(tokens, labelled, phrases)
    return SentenceFiles(labelled, labelled, labelled)


def read_sentences(files: SentenceFiles, language: str) -> Iterator[ProbeSentence]:
    """All sentences, as they are read; `language` is their code."""
    if files.tokens == files.trees:
        yield from read_bank(files.trees, language)
    else:
        for line, texts in enumerate(read_parallel(files), start=1):
            yield ProbeSentence(line, *texts)


def read_bank(path: Path, language: str) -> Iterator[ProbeSentence]:
    """The sentences of a file of bracketed trees, without empty elements (`-NONE-`).

    Their leaves are spelled like the tokens of a corpus of that language.
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
) -> tuple[dict[str, list[ProbeSentence]], Counter[str]]:
    """Draw up to `most` sentences with different texts into splits.

    Sentences are ranked by a hash of seed and text, and the first ones are taken: order and
    repetition in the corpus make no difference. Memory holds no more than `most` of them.

    Args:
        shares: of train, valid and test; train gets the remainder of the division.

    Returns:
        The sentences of each split in the order of their file; how many were `read`, and left out:
        `duplicates`, and `flat` trees, which say nothing of syntax.
    """
    counts = Counter(read=0, duplicates=0, flat=0)
    seen: set[bytes] = set()

    def ranked() -> Iterator[tuple[bytes, ProbeSentence]]:
        for sentence in sentences:
            counts["read"] += 1
            rank = blake2b(f"{seed}\n{sentence.tokens}".encode(), digest_size=16).digest()
            if _FLAT.fullmatch(sentence.tree):
                counts["flat"] += 1
            elif rank in seen:
                counts["duplicates"] += 1
            else:
                seen.add(rank)
                yield rank, sentence

    drawn = [sentence for _, sentence in heapq.nsmallest(most, ranked())]
    _, valid, test = (len(drawn) * share // sum(shares) for share in shares)
    train = len(drawn) - valid - test
    parts = drawn[:train], drawn[train : train + valid], drawn[train + valid :]
    return {split: sorted(part) for split, part in zip(SPLITS, parts, strict=True)}, counts
