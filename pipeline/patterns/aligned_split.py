"""A split of tokenised text with its trees and word links, to compare translations with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from mgsa.base.errors import InputError
from pipeline.base.stage import SIDES
from pipeline.base.text import read_parallel, split_tokens
from pipeline.dataset.manifest import read_object
from pipeline.links import read_link_file
from pipeline.patterns.categories import Occurrence, occurrences
from pipeline.tokens.trees import check_leaves, read_tree


def tokenize_target(texts: Sequence[str], tokenized: Path) -> list[list[str]]:
    """Texts of the target language, tokenised as in the stage `tokenize`."""
    from pipeline.tokens.moses import MosesText

    languages = read_object(tokenized / "languages.json", "target")
    return list(map(MosesText(languages["target"]).normalize_and_tokenize, texts))


def check_references(
    tokens: Sequence[Sequence[str]], target: Sequence[str], *, path: Path, target_path: Path
) -> None:
    """Check that the tokens of the references in `path` are the target side of the split.

    Raises:
        InputError: some differ.
    """
    for line, (words, expected) in enumerate(zip(tokens, target, strict=True), start=1):
        if (found := " ".join(words)) != expected:
            message = f"expected the text whose tokens are in {target_path}, {expected!r}"
            raise InputError(f"{message}, got {found!r}", path=path, line=line)


def read_occurrences(
    tokenized: Path, split: str, trees: Path, links: Path, sizes: Sequence[int]
) -> Iterator[list[Occurrence]]:
    """The n-grams of each target sentence, with their categories.

    Args:
        trees: of the source side, a line each.
        links: in Pharaoh's format, a line a pair.

    Raises:
        InputError: a tree or a link is malformed or not of its pair, or their number differs from
            that of pairs.
    """
    source, target = (tokenized / f"{split}.{side}" for side in SIDES)
    rows = read_parallel([source, target, trees])
    of_pairs = read_link_file(links, tokenized, split)
    for line, (row, of_pair) in enumerate(zip(rows, of_pairs, strict=True), start=1):
        tree = read_tree(row[2], path=trees, line=line)
        check_leaves(tree, split_tokens(row[0], path=source, line=line), path=trees, line=line)
        target_words = len(split_tokens(row[1], path=target, line=line))
        yield occurrences(tree, of_pair, target_words, sizes)


def find_links(alignments: Path, tokenized: Path, split: str) -> Path | None:
    """The file of the links of a split, if any: `alignments`, or one of this folder of `align`.

    Instead of the folder's, the gold links of the corpus are taken if there are any.

    Raises:
        InputError: a folder is no aligner's.
    """
    if not alignments.is_dir():
        return alignments
    splits = read_object(alignments / "aligner.json", "splits")["splits"]
    gold = tokenized / f"{split}.links"
    if gold.is_file():
        return gold
    return alignments / f"{split}.links" if split in splits else None
