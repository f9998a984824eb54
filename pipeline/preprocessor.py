"""Raw text to rows, and back: what the text stages do, with the settings that an artifact records.

Rows come from `pipeline.encoder`, as those of the dataset do, so that the two cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nltk.tree import Tree

from mgsa.cli.errors import InputError
from mgsa.cli.languages import base_language
from mgsa.cli.workers import chunks
from mgsa.data.batch import Row
from pipeline.constituency.parser_folder import read_parser_folder
from pipeline.constituency.stanza_parser import (
    BATCH_SENTENCES,
    ConstituencyParser,
    Unparsed,
    parse_each,
)
from pipeline.encoder import Encoder
from pipeline.formats.phrases import Phrase, check_levels
from pipeline.formats.preprocessing import Preprocessing
from pipeline.formats.trees import check_leaves, flat_tree, read_tree
from pipeline.partition import syntactic_partition
from pipeline.tokenizers import Tokenizer
from pipeline.tokenizers.side import side_text

NO_PARSER = Path("none")
"""In place of a parser's folder: every tree is flat."""


@dataclass(frozen=True)
class Preprocessor:
    """Raw or tokenised text to rows, and target tokens to raw text."""

    encoder: Encoder
    texts: tuple[Tokenizer, Tokenizer]  #: tokenisers of source and target.
    levels: int = 0  #: number of phrase levels; 0: none.
    max_words: int = 0  #: longest sentence to parse; longer ones get a flat tree.
    parser: ConstituencyParser | None = None  #: `None`: all trees are flat.

    @classmethod
    def load(cls, folder: Path, *, parser: Path | None, gpu: bool = False) -> Preprocessor:
        """Load the preprocessor recorded in a dataset or model artifact.

        Args:
            parser: the parser's folder, or `NO_PARSER`; `None`: no syntactic phrases.
            gpu: run the parser on a GPU.

        Raises:
            InputError: the parser is not the one that made the trees (for a corpus's own trees, any
                of the language will do), or raw text can't have such phrases.
        """
        made = Preprocessing.read(folder)
        texts = side_text(folder, "source"), side_text(folder, "target")
        encoder = Encoder.load(folder)
        if parser is None:
            return cls(encoder, texts)
        loaded = None if parser == NO_PARSER else _load_parser(parser, made, folder, gpu=gpu)
        return cls(encoder, texts, made.partition.levels, made.parse.max_words, loaded)

    def tokenize(self, *texts: str) -> list[list[str]]:
        """Tokens of a source sentence, or of a pair."""
        return [text.tokenize(t) for text, t in zip(self.texts, texts, strict=False)]

    def rows_of_tokens(
        self,
        sources: Sequence[Sequence[str]],
        targets: Sequence[Sequence[str]] | None = None,
        *,
        phrases: Sequence[Sequence[Sequence[Phrase]]] | None = None,
    ) -> list[Row]:
        """A row for each tokenised sentence or pair; one without tokens has no subwords.

        `phrases` of each source, by level, stand in for those of its tree; an `InputError` is
        raised if they don't cover it.
        """
        trees = self.trees(sources) if self.levels and phrases is None else {}
        rows = []
        for index, source in enumerate(sources):
            levels: Sequence[Sequence[Phrase]] = ()
            if phrases is not None and source:
                levels = phrases[index]
                check_levels(levels, num_levels=self.levels, num_words=len(source))
            elif index in trees:
                levels = syntactic_partition(trees[index], self.levels)
            target = targets[index] if targets else ()
            rows.append(Row.of_columns(index, self.encoder.encode(source, target, phrases=levels)))
        return rows

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The text of target tokens."""
        return self.texts[1].detokenize(tokens)

    def trees(self, sentences: Sequence[Sequence[str]]) -> dict[int, Tree]:
        """Trees of non-empty sentences, by index."""
        trees = {i: flat_tree(tokens) for i, tokens in enumerate(sentences) if tokens}
        if self.parser is None:
            return trees
        fitting = [i for i in trees if len(sentences[i]) <= self.max_words]
        # Like lengths together, as the parse stage does: a batch then holds little padding.
        for batch in chunks(sorted(fitting, key=lambda i: len(sentences[i])), BATCH_SENTENCES):
            parsed = parse_each(self.parser, [sentences[i] for i in batch])
            for i, tree in zip(batch, parsed, strict=True):
                if not isinstance(tree, Unparsed):
                    trees[i] = read_tree(tree)
                    check_leaves(trees[i], sentences[i])
        return trees


def _load_parser(
    parser: Path, made: Preprocessing, artifact: Path, *, gpu: bool
) -> ConstituencyParser | None:
    boundaries = made.partition.boundaries
    if boundaries != "parsed":
        message = f"raw text can have parsed phrases (partition.boundaries), not {boundaries}"
        raise InputError(f"{message}: expected rows of a dataset", path=artifact)
    folder = read_parser_folder(parser)
    if made.parser.kind not in ("trees", "none") and folder.identity != made.parser.identity:
        raise InputError(
            f"expected the parser that {artifact} was made with "
            f"({made.parser.identity[:12]}), got another one ({folder.identity[:12]})",
            path=parser,
        )
    if base_language(folder.language) != base_language(made.source_language):
        message = f"expected a parser of {made.source_language}, got one of {folder.language}"
        raise InputError(message, path=parser)
    return None if made.parser.kind == "none" else ConstituencyParser.load(parser, gpu=gpu)
