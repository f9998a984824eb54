"""Partition: a sentence cut into phrases, by n-grams or by the levels of its tree.

A partition covers the sentence once, in order, without overlap. Level 1 of the syntactic partition
is the children of the tree's top node (its wrapper stripped); level k + 1 puts in place of each
phrase of level k its node's children, a preterminal staying as it is. A top node that is itself a
preterminal is the one phrase of every level (Hao et al. 2019, section 3.2 and figure 1).

The stage writes `{split}.phrases`, one sentence a line: levels between ` ||| `, phrases between
spaces, a phrase as `LENGTH:TAG` with its length in words: `1:NP 5:VP ||| 1:NNP 1:VBD 2:NP 2:PP`.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from mgsa.base.cli import progress, run
from mgsa.base.errors import InputError
from mgsa.base.io import atomic_folder, open_to_write
from mgsa.base.settings import Positive, Seed
from pipeline.base.stage import (
    SPLITS,
    argument_parser,
    atomic_outputs,
    check_replaceable,
    read_settings,
)
from pipeline.base.text import read_parallel, split_tokens
from pipeline.base.workers import map_chunks
from pipeline.phrase_counts import PhraseCounts
from pipeline.trees import check_leaves, children, is_preterminal, read_tree, top_node

if TYPE_CHECKING:
    from nltk.tree import Tree

LEVEL_SEPARATOR = " ||| "
LENGTH = re.compile("[1-9][0-9]{0,8}")
"""Of a phrase, in words."""
SENTENCES_PER_CHUNK = 1000


class Phrase(NamedTuple):
    """The positions from `start` up to, not including, `end`; `tag` is `None` for an n-gram."""

    start: int
    end: int
    tag: str | None


@dataclass(frozen=True)
class PartitionSettings:
    """What phrases a sentence is cut into, and with how many processes.

    `levels` syntactic levels are written. `ngrams` are sizes to count in the report, no more: they
    need no tree, so a model cuts its n-grams itself. With `shuffled` boundaries the phrases of each
    level, with their tags, are put in an order drawn from `seed`: as many, as long, but in the
    wrong places, for experiments on whether the places matter.
    """

    levels: Positive
    ngrams: tuple[Positive, ...]
    boundaries: Literal["parsed", "shuffled"]
    seed: Seed
    workers: Positive


def ngram_partition(length: int, n: int) -> list[Phrase]:
    """Phrases of `n` of the `length` positions, from the left; the last may be shorter."""
    if n < 1 or length < 0:
        raise ValueError(f"expected n of at least 1 and a length of at least 0: {n}, {length}")
    return [Phrase(start, min(start + n, length), None) for start in range(0, length, n)]


def syntactic_partition(tree: Tree | str, levels: int) -> list[list[Phrase]]:
    """The phrases of levels 1 to `levels` of a tree, in words.

    Raises:
        InputError: `tree` is text and not one bracketed tree.
    """
    if levels < 1:
        raise ValueError(f"expected at least 1 level, got {levels}")
    top = top_node(read_tree(tree) if isinstance(tree, str) else tree)
    nodes = children(top) or [top]
    partitions = []
    for _ in range(levels):
        lengths = [1 if is_preterminal(node) else len(node.leaves()) for node in nodes]
        partitions.append(_place(lengths, [node.label() for node in nodes]))
        nodes = [child for node in nodes for child in children(node) or [node]]
    return partitions


def to_subwords(phrases: Iterable[Phrase], subwords_per_word: Sequence[int]) -> list[Phrase]:
    """The same phrases in subword positions: each takes all the subwords of its words.

    Raises:
        ValueError: the phrases don't cover as many words as there are counts, or a count is
            below 1.
    """
    if min(subwords_per_word, default=1) < 1:
        raise ValueError("expected at least 1 subword for every word")
    bounds = [0, *accumulate(subwords_per_word)]
    phrases = list(phrases)
    covered = phrases[-1].end if phrases else 0
    if covered != len(subwords_per_word):
        raise ValueError(f"phrases cover {covered} words: expected {len(subwords_per_word)}")
    return [Phrase(bounds[start], bounds[end], tag) for start, end, tag in phrases]


def shuffle_phrases(phrases: Sequence[Phrase], generator: random.Random) -> list[Phrase]:
    """The same lengths with their tags, in an order drawn from `generator`."""
    # Sorting by `random()` and not `shuffle`: only the former's sequence is promised to stay the
    # same in later versions of Python.
    order = sorted(phrases, key=lambda _: generator.random())
    return _place([end - start for start, end, _ in order], [tag for _, _, tag in order])


def _place(lengths: Sequence[int], tags: Sequence[str | None]) -> list[Phrase]:
    """Phrases one after another from position 0."""
    ends = list(accumulate(lengths))
    return list(map(Phrase, [0, *ends[:-1]], ends, tags))


def write_phrases_line(partitions: Iterable[Iterable[Phrase]]) -> str:
    """The levels of one sentence as a line of a `.phrases` file, without a line end."""
    return LEVEL_SEPARATOR.join(
        " ".join([f"{end - start}:{tag}" for start, end, tag in phrases]) for phrases in partitions
    )


def read_phrases_line(
    text: str,
    *,
    levels: int,
    num_words: int | None = None,
    path: str | PathLike[str] | None = None,
    line: int | None = None,
) -> list[list[Phrase]]:
    """The first `levels` levels of a line of a `.phrases` file.

    Args:
        num_words: the words of the sentence; not checked if `None`.

    Raises:
        InputError: the line has fewer levels, a phrase that is not `LENGTH:TAG`, or a level whose
            phrases do not add up to `num_words`, or to the words of level 1.
    """
    parts = text.split(LEVEL_SEPARATOR)
    if len(parts) < levels:
        raise InputError(f"expected {levels} levels, found {len(parts)}", path=path, line=line)
    partitions = []
    for level, part in enumerate(parts[:levels], start=1):
        lengths, tags = [], []
        for phrase in part.split(" "):
            length, tag = _read_phrase(phrase)
            if not length:
                raise InputError(
                    f"level {level}: expected LENGTH:TAG, found {phrase!r}", path=path, line=line
                )
            lengths.append(length)
            tags.append(tag)
        expected = sum(lengths) if num_words is None else num_words
        if sum(lengths) != expected:
            raise InputError(
                f"level {level}: lengths add up to {sum(lengths)} words, expected {expected}",
                path=path,
                line=line,
            )
        num_words = expected
        partitions.append(_place(lengths, tags))
    return partitions


@lru_cache(maxsize=1 << 14)
def _read_phrase(text: str) -> tuple[int, str]:
    """Length and tag of `LENGTH:TAG`; a length of 0 if it is malformed."""
    length, _, tag = text.partition(":")
    return (int(length) if tag and LENGTH.fullmatch(length) else 0), tag


Sentence = tuple[int, str, str]
"""A line's number (from 1), its tree and its tokens, as text."""


def partition_sentences(
    sentences: Sequence[Sentence],
    *,
    settings: PartitionSettings,
    split: str,
    path: Path,
    tokens_path: Path,
) -> tuple[str, PhraseCounts]:
    """Cut sentences into phrases: the lines of a `.phrases` file, and what is in them.

    Args:
        split: what the order of shuffled phrases is drawn from, besides seed and line.
        path, tokens_path: the files of trees and of tokens, which errors name.
    """
    lines = []
    counts = PhraseCounts()
    for line, bracketed, text in sentences:
        tokens = split_tokens(text, path=tokens_path, line=line)
        tree = read_tree(bracketed, path=path, line=line)
        check_leaves(tree, tokens, path=path, line=line)
        partitions = syntactic_partition(tree, settings.levels)
        if settings.boundaries == "shuffled":
            generator = random.Random(f"{settings.seed} {split} {line}")
            partitions = [shuffle_phrases(phrases, generator) for phrases in partitions]
        lines.append(write_phrases_line(partitions) + "\n")
        counts.add(partitions)
    return "".join(lines), counts


def partition_split(
    split: str, trees: Path, tokens: Path, out: Path, settings: PartitionSettings
) -> PhraseCounts:
    """Write the `.phrases` file of one split.

    Raises:
        InputError: trees and tokens don't agree in number or in words, or a file is malformed.
    """
    counts = PhraseCounts()
    lines = enumerate(read_parallel((trees, tokens)), start=1)
    results = map_chunks(
        partial(
            partition_sentences, settings=settings, split=split, path=trees, tokens_path=tokens
        ),
        ((line, tree, sentence) for line, (tree, sentence) in lines),
        workers=settings.workers,
        chunk_size=SENTENCES_PER_CHUNK,
        characters=lambda sentence: len(sentence[1]),
    )
    shown = progress(
        results,
        f"partition {split}",
        total=None,
        unit="sentences",
        size=lambda result: result[1].sentence_lengths.total(),
    )
    with open_to_write(out) as file:
        for phrases, counted in shown:
            file.write(phrases)
            counts.update(counted)
    return counts


def main(argv: Sequence[str] | None = None) -> None:
    parser = argument_parser("partition", "Cut parsed sentences into phrases with tags.")
    parser.add_argument("--parsed", type=Path, required=True, metavar="DIR", help="parse's output")
    parser.add_argument(
        "--tokenized", type=Path, required=True, metavar="DIR", help="the tokens parsed"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="phrases go here")
    parser.add_argument(
        "--report", type=Path, required=True, metavar="FILE", help="statistics go here, as JSON"
    )
    parser.add_argument(
        "--plots", type=Path, required=True, metavar="DIR", help="counts go here, as CSV"
    )
    arguments = parser.parse_args(argv)
    settings = read_settings(arguments, "partition", PartitionSettings)
    inputs = {
        split: (arguments.parsed / f"{split}.trees", arguments.tokenized / f"{split}.source")
        for split in SPLITS
    }
    for path in (path for paths in inputs.values() for path in paths):
        if not path.is_file():
            raise InputError("no such file", path=path)

    check_replaceable(arguments.plots, "tags.csv")
    counts = PhraseCounts()
    read = [arguments.parsed, arguments.tokenized]
    outputs = atomic_outputs(arguments.out, arguments.report, "train.phrases", inputs=read)
    with atomic_folder(arguments.plots) as plots, outputs as (out, report):
        for split, (trees, tokens) in inputs.items():
            phrases = out / f"{split}.phrases"
            counts.update(partition_split(split, trees, tokens, phrases, settings))
        counts.write_plots(plots)
        report.update(counts.report(levels=settings.levels, ngrams=settings.ngrams))


if __name__ == "__main__":
    sys.exit(run(main))
