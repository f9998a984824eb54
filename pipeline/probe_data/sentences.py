"""Sentences with trees, drawn into disjoint splits for probing."""

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from mgsa.cli.errors import InputError
from pipeline.constituency.ready_trees import ready_tree
from pipeline.constituency.spelling import TextSpelling, spelled_words
from pipeline.constituency.treebank import without_empty_elements
from pipeline.formats.text import SPLITS, read_parallel, split_tokens
from pipeline.formats.trees import FRAGMENT, ROOT, UNKNOWN, bracketed, flat_tree, read_treebank
from pipeline.tokenizers import Tokenizer

_FLAT = re.compile(rf"\({ROOT} \({FRAGMENT}(?: \({UNKNOWN} [^ ()]+\))+\)\)")


class ProbeSentence(NamedTuple):
    """1-based line number, tokens, tree for labels, tree for the encoder's phrases."""

    line: int
    tokens: str
    tree: str
    phrases: str


class SentenceFiles(NamedTuple):
    """Files of tokens and trees, line by line; or one treebank for both."""

    tokens: Path
    trees: Path
    phrases: Path


def find_files(trees: str, *, parsed: Path, tokenized: Path) -> SentenceFiles:
    """The files for the setting `trees`."""
    tokens, phrases = tokenized / "train.source", parsed / "train.trees"
    labelled = {"parsed": phrases, "gold": tokenized / "train.trees"}.get(trees, Path(trees))
    if not labelled.is_file():
        hint = "probe_data.trees takes parsed, gold (if the corpus brings them), or a file of trees"
        raise InputError(f"no such file: {hint}", path=labelled)
    if trees in ("parsed", "gold"):
        return SentenceFiles(tokens, labelled, phrases)
    return SentenceFiles(labelled, labelled, labelled)


def read_sentences(files: SentenceFiles, tokenizer: Tokenizer) -> Iterator[ProbeSentence]:
    """Read the sentences of a treebank, or of aligned files of text."""
    if files.tokens == files.trees:
        yield from read_bank(files.trees, tokenizer)
    else:
        for line, (text, tree, phrases) in enumerate(read_parallel(files), start=1):
            labelled = tree
            if files.trees != files.phrases:  # of the corpus, which may have other words
                tokens = split_tokens(text, path=files.tokens, line=line)
                gold = ready_tree(tree, tokens, path=files.trees, line=line)
                labelled = bracketed(gold or flat_tree(tokens))
            yield ProbeSentence(line, text, labelled, phrases)


def read_bank(path: Path, tokenizer: Tokenizer) -> Iterator[ProbeSentence]:
    """Yield the sentences of a treebank without empty elements, spelled as corpus tokens."""
    spell = TextSpelling(tokenizer)
    for number, tree in enumerate(read_treebank(path), start=1):
        gold = without_empty_elements(tree)
        if gold is not None:
            gold = spell(gold)
            text = bracketed(gold)
            yield ProbeSentence(number, " ".join(spelled_words(gold)), text, text)


def draw_splits(
    sentences: Iterable[ProbeSentence], *, most: int, shares: Sequence[int], seed: int
) -> tuple[dict[str, list[ProbeSentence]], Counter[str]]:
    """Draw up to `most` sentences with distinct texts into splits.

    The sentences with the smallest hashes of seed and text are taken, independent of order and
    repetition in the corpus. At most `most` are held in memory.

    Args:
        shares: of train, valid and test; train gets the remainder of the division.

    Returns:
        The sentences of each split in file order; counts of `read`, `duplicates` and `flat` ones.
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
