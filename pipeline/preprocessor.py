"""Raw text to the rows that models see: what the text stages do, for text given at inference.

One object holds what the stages hold, with the settings that a dataset recorded of them: the
tokeniser of `tokenize`, the parser of `parse` and its limit, the phrases of `partition`, the
subwords of `bpe`, the ids of `dataset`. A test holds its rows of raw text against a dataset's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.base.errors import InputError
from mgsa.data.batch import Row
from mgsa.data.schema import PREPROCESSING, TAGS, VOCABULARY
from mgsa.data.vocabulary import Vocabulary, read_tags, read_vocabularies
from mgsa.decoding.translate import join_subwords
from pipeline.artifact.preprocessing import Preprocessing
from pipeline.base.stage import SIDES
from pipeline.moses import MosesText
from pipeline.parsing.parser_folder import read_parser_folder
from pipeline.parsing.stanza_parser import (
    BATCH_SENTENCES,
    ConstituencyParser,
    Parser,
    Unparsed,
    parse_each,
)
from pipeline.partition import syntactic_partition, to_subwords
from pipeline.subwords import SubwordSplitter
from pipeline.trees import check_leaves, flat_tree, read_tree

if TYPE_CHECKING:
    from nltk.tree import Tree

NOT_FOR_TEXT = "shuffled"
"""Boundaries that are drawn by a sentence's place in its split, which raw text has none of."""


class Phraser:
    """Tokens to the phrases of every level, as lengths in subwords and ids of tags."""

    def __init__(
        self, parser: Parser | None, *, tags: Sequence[str], levels: int, max_words: int
    ) -> None:
        """
        Args:
            parser: `None`: every sentence gets a flat tree.
            tags: by their ids.
            levels: of the syntactic partition.
            max_words: sentences of more words get a flat tree.
        """
        self._parser = parser
        self._tag_ids = {tag: index for index, tag in enumerate(tags)}
        self._levels = levels
        self._max_words = max_words

    def trees(self, sentences: Sequence[Sequence[str]]) -> list[Tree]:
        """The tree of each sentence, flat where it is too long or the parser can't take it."""
        if self._parser is None:
            return [flat_tree(tokens) for tokens in sentences]
        found: dict[int, Tree] = {}
        # Like lengths together, as the parse stage does: a batch then holds little padding.
        parsed = sorted(
            (i for i, tokens in enumerate(sentences) if len(tokens) <= self._max_words),
            key=lambda i: len(sentences[i]),
        )
        for start in range(0, len(parsed), BATCH_SENTENCES):
            batch = parsed[start : start + BATCH_SENTENCES]
            trees = parse_each(self._parser, [sentences[i] for i in batch])
            for i, tree in zip(batch, trees, strict=True):
                if not isinstance(tree, Unparsed):
                    found[i] = read_tree(tree)
                    check_leaves(found[i], sentences[i])
        return [found.get(i) or flat_tree(tokens) for i, tokens in enumerate(sentences)]

    def phrases(
        self, tree: Tree, subwords_per_word: Sequence[int]
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Lengths and tags of the phrases of each level; tag 0 is one that training lacked."""
        levels = [
            to_subwords(phrases, subwords_per_word)
            for phrases in syntactic_partition(tree, self._levels)
        ]
        return (
            [[phrase.end - phrase.start for phrase in phrases] for phrases in levels],
            [[self._tag_ids.get(phrase.tag or "", 0) for phrase in phrases] for phrases in levels],
        )


@dataclass(frozen=True)
class Side:
    """One language: text to tokens, tokens to subwords, subwords to ids."""

    text: MosesText
    splitter: SubwordSplitter
    vocabulary: Vocabulary

    def encode(self, tokens: Sequence[str]) -> tuple[list[int], list[int]]:
        """Ids of the tokens' subwords, and how many of them each token has."""
        words = [self.splitter.split([token]) for token in tokens]
        ids = self.vocabulary.encode(subword for word in words for subword in word)
        return ids, [len(word) for word in words]


class Preprocessor:
    """Raw text to rows, and the target's subwords to raw text.

    Attributes:
        source, target: the two languages.
    """

    def __init__(self, *, source: Side, target: Side, phraser: Phraser | None) -> None:
        """
        Args:
            phraser: tokens to phrases; `None` for models that attend to none.
        """
        self.source = source
        self.target = target
        self._phraser = phraser

    @classmethod
    def load(cls, folder: Path, *, parser: Path | None, gpu: bool = False) -> Preprocessor:
        """The preprocessor that a dataset or model artifact was made with.

        Args:
            folder: of the artifact.
            parser: the folder of the parser; `None`: rows get no syntactic phrases.
            gpu: whether the parser is to run on a GPU.

        Raises:
            InputError: a file of the artifact is missing or malformed, the parser is not the one
                that made the trees, or its phrases were shuffled.
        """
        made = Preprocessing.read(folder / PREPROCESSING)
        if parser is not None:
            check_parser(made, folder, parser)
        vocabularies = read_vocabularies(folder / VOCABULARY)
        source, target = (
            Side(
                MosesText(language),
                SubwordSplitter.load(folder, side, threshold=made.bpe.vocabulary_threshold),
                vocabulary,
            )
            for side, language, vocabulary in zip(SIDES, made.languages, vocabularies, strict=True)
        )
        phraser = None
        if parser is not None:
            phraser = Phraser(
                None if made.parser.kind == "none" else ConstituencyParser.load(parser, gpu=gpu),
                tags=read_tags(folder / TAGS),
                levels=made.partition.levels,
                max_words=made.parse.max_words,
            )
        return cls(source=source, target=target, phraser=phraser)

    def rows(self, texts: Sequence[str]) -> list[Row]:
        """A row without a target for each text; one that holds no word has no subwords either."""
        return self.rows_of_tokens([self.source.text.normalize_and_tokenize(t) for t in texts])

    def rows_of_tokens(self, sentences: Sequence[Sequence[str]]) -> list[Row]:
        """The same for tokenised text."""
        if self._phraser is None:
            return [self._row(i, tokens, None) for i, tokens in enumerate(sentences)]
        trees = iter(self._phraser.trees([tokens for tokens in sentences if tokens]))
        return [
            self._row(i, tokens, next(trees) if tokens else None)
            for i, tokens in enumerate(sentences)
        ]

    def pairs_of_tokens(
        self, sources: Sequence[Sequence[str]], targets: Sequence[Sequence[str]]
    ) -> list[Row]:
        """A row for each pair of tokenised sentences."""
        pairs = []
        for row, tokens in zip(self.rows_of_tokens(sources), targets, strict=True):
            ids, subwords_per_word = self.target.encode(tokens)
            pairs.append(replace(row, target=ids, target_subwords_per_word=subwords_per_word))
        return pairs

    def detokenize(self, subwords: Sequence[str]) -> str:
        """The text that a translation in subwords stands for."""
        tokens = join_subwords(subwords).split()
        return self.target.text.detokenize(tokens) if tokens else ""

    def _row(self, index: int, tokens: Sequence[str], tree: Tree | None) -> Row:
        ids, subwords_per_word = self.source.encode(tokens)
        lengths: list[list[int]] = []
        tags: list[list[int]] = []
        if tree is not None and self._phraser is not None:
            lengths, tags = self._phraser.phrases(tree, subwords_per_word)
        return Row(
            index=index,
            source=ids,
            target=(),
            subwords_per_word=subwords_per_word,
            phrase_lengths=lengths,
            phrase_tags=tags,
        )


def check_parser(made: Preprocessing, artifact: Path, parser: Path) -> None:
    """Check that a parser folder is the one whose trees an artifact was made with.

    Trees that came with a corpus have no parser; any of the language may stand in for it.

    Raises:
        InputError: it is another one, or no parser's phrases are those of the artifact.
    """
    if made.partition.boundaries == NOT_FOR_TEXT:
        raise InputError(
            "its phrases were shuffled (partition.boundaries), which text can't be: expected rows "
            "of a dataset",
            path=artifact,
        )
    found = read_parser_folder(parser)
    if made.parser.kind == "stanza" and found.identity != made.parser.identity:
        raise InputError(
            f"expected the parser that {artifact} was made with ({made.parser.identity[:12]}), "
            f"got another one ({found.identity[:12]})",
            path=parser,
        )
    if found.language != made.languages[0]:
        raise InputError(
            f"expected a parser of {made.languages[0]}, got one of {found.language}", path=parser
        )
