"""A split of tokenised text with its trees and word links, to compare translations with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mgsa.base.errors import InputError
from pipeline.aligners.link_files import read_link_file
from pipeline.base.stage import SIDES
from pipeline.base.text import read_parallel, split_tokens
from pipeline.dataset.manifest import Aligner, Languages, read_object
from pipeline.patterns.categories import Occurrence, occurrences
from pipeline.tokens.trees import check_leaves, read_tree


@dataclass(frozen=True)
class AlignedSplit:
    """A split of tokenised text, with the files of its trees and links.

    Attributes:
        tokenized: the folder of the stage `tokenize`.
        trees: of the source side, a line each.
        links: in Pharaoh's format, a line a pair.
    """

    tokenized: Path
    split: str
    trees: Path | None
    links: Path | None

    @property
    def sides(self) -> list[Path]:
        """The files of source and target tokens."""
        return [self.tokenized / f"{self.split}.{side}" for side in SIDES]

    def source_lengths(self) -> list[int]:
        """The words of each source sentence."""
        path = self.sides[0]
        return [
            len(split_tokens(text, path=path, line=line))
            for line, (text,) in enumerate(read_parallel([path]), start=1)
        ]

    def check_references(self, references: Sequence[str], path: Path) -> None:
        """Check that the tokens of references are the target side of this split.

        Args:
            path: of the references, for errors.

        Raises:
            InputError: some differ.
        """
        target = self.sides[1]
        lines = zip(self.target_tokens(references), read_parallel([target]), strict=True)
        for line, (tokens, (expected,)) in enumerate(lines, start=1):
            if tokens != expected.split(" "):
                raise InputError(
                    f"expected the text whose tokens are in {target}, {expected!r}, "
                    f"got {' '.join(tokens)!r}",
                    path=path,
                    line=line,
                )

    def target_tokens(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Texts of the target language, tokenised as in the stage `tokenize`."""
        from pipeline.tokens.moses import MosesText

        languages = read_object(self.tokenized / "languages.json", Languages)
        return map(MosesText(languages["target"]).normalize_and_tokenize, texts)

    def occurrences(self, sizes: Sequence[int]) -> Iterator[list[Occurrence]]:
        """The n-grams of each target sentence, with their categories.

        Raises:
            InputError: a tree or a link is malformed or not of its pair, or their number differs
                from that of pairs.
        """
        assert self.trees is not None
        assert self.links is not None
        source, target = self.sides
        rows = read_parallel([source, target, self.trees])
        links = read_link_file(self.links, self.tokenized, self.split)
        for line, (row, of_pair) in enumerate(zip(rows, links, strict=True), start=1):
            source_tokens, target_tokens, bracketed = row
            tree = read_tree(bracketed, path=self.trees, line=line)
            words = split_tokens(source_tokens, path=source, line=line)
            check_leaves(tree, words, path=self.trees, line=line)
            num_target = len(split_tokens(target_tokens, path=target, line=line))
            yield occurrences(tree, of_pair, num_target, sizes)


def find_links(alignments: Path, tokenized: Path, split: str) -> Path | None:
    """The file of the links of a split, if any: `alignments`, or one of this folder of `align`.

    Instead of the folder's, the gold links of the corpus are taken if there are any.

    Raises:
        InputError: a folder is no aligner's.
    """
    if not alignments.is_dir():
        return alignments
    splits = read_object(alignments / "aligner.json", Aligner)["splits"]
    gold = tokenized / f"{split}.links"
    if gold.is_file():
        return gold
    return alignments / f"{split}.links" if split in splits else None
