"""A constituency parser of stanza's, loaded from a parser folder, for tokenised text."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.cli.errors import FailedError, InputError, is_out_of_memory
from pipeline.constituency.parser_folder import read_parser_folder
from pipeline.constituency.spelling import parser_words
from pipeline.constituency.tagger import TAGGER, load_tagger
from pipeline.formats.trees import escape_token

if TYPE_CHECKING:
    import stanza
    from nltk.tag.perceptron import PerceptronTagger
    from stanza.models.constituency.parse_tree import Tree

BATCH_SENTENCES = 64
"""Sentences that go through the models together. Larger batches are no faster on a CPU."""
_REFUSALS = (ValueError, IndexError, AssertionError, RuntimeError)
"""Stanza's errors on a sentence that is too long for its Transformer or that no tree fits."""
_DEVICE = re.compile("CUDA|CUBLAS|CUDNN|CUSOLVER|HIP error|NCCL", re.IGNORECASE)


class ConstituencyParser:
    """Tags and parses sentences; the leaves of a tree are the sentence's tokens, escaped."""

    def __init__(
        self, pipeline: stanza.Pipeline, language: str, tagger: PerceptronTagger | None
    ) -> None:
        self._pipeline = pipeline
        self._model = pipeline.processors["constituency"]._model  # noqa: SLF001 - nothing public has it
        self._language = language
        self._tagger = tagger  # of a parser that was trained here

    @classmethod
    def load(cls, folder: Path, *, gpu: bool = False) -> ConstituencyParser:
        """Load the models of a parser folder after their hashes are checked: they are pickles.

        Raises:
            InputError: the folder is no parser's, a file of it changed, stanza refuses it, or there
                is no GPU.
        """
        parser = read_parser_folder(folder)
        if parser.kind != "stanza":
            message = f"it holds no models, but is of the kind {parser.kind}"
            raise InputError(f"{message}; --parser none translates without", path=folder)
        silence_stanza()
        import stanza
        from stanza.models.common import utils

        if gpu and utils.default_device() == "cpu":
            # stanza would go on without one, many times slower, and say so in its log alone.
            raise InputError("run.parse_gpu: expected false, as there is no GPU to be used")
        tagger = load_tagger(folder / TAGGER) if TAGGER in parser.files else None
        try:
            pipeline = stanza.Pipeline(
                parser.language,
                dir=str(folder),
                package=parser.package,
                processors="constituency" if tagger else "tokenize,pos,constituency",
                tokenize_pretokenized=True,
                constituency_pretagged=tagger is not None,
                download_method=None,
                use_gpu=gpu,
                pos_batch_size=BATCH_SENTENCES,
            )
        except Exception as error:
            if is_out_of_memory(error):
                raise
            # A model that was cut short before its hash was taken fails wherever reading it ends.
            message = f"stanza can't load this parser: {_reason(error)}"
            raise InputError(message, path=folder) from error
        return cls(pipeline, parser.language, tagger)

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[str]:
        """The tree of each sentence on one line, `(ROOT …)`, over its tokens.

        The models see them as `parser_words` spells them.

        Raises:
            Exception: the library could not parse a sentence, or made too deep a tree.
        """
        from nltk.tree.tree import MAX_TREE_DEPTH

        from pipeline.constituency.transition_parser import parse_tagged

        words = [parser_words(sentence, self._language) for sentence in sentences]
        trees = parse_tagged(self._model, self._tag(words))
        return [
            _bracketed(tree, iter(tokens), MAX_TREE_DEPTH)
            for tree, tokens in zip(trees, sentences, strict=True)
        ]

    def _tag(self, sentences: Sequence[Sequence[str]]) -> list[list[tuple[str, str]]]:
        if self._tagger is not None:
            return [self._tagger.tag(sentence) for sentence in sentences]
        tagged = self._pipeline(sentences, processors="tokenize,pos").sentences
        tags = "xpos" if self._model.uses_xpos() else "upos"
        return [[(word.text, getattr(word, tags)) for word in one.words] for one in tagged]


def _bracketed(node: Tree, words: Iterator[str], depth: int) -> str:
    """A tree over its words, escaped, on one line; at most `depth` nodes are in one another."""
    if node.is_preterminal():
        return f"({node.label} {escape_token(next(words))})"
    if not depth:
        raise ValueError("too many nodes in one another")
    below = [_bracketed(child, words, depth - 1) for child in node.children]
    return f"({node.label} {' '.join(below)})"


def silence_stanza() -> None:
    """Keep its log from stderr: training sets its level to DEBUG, for good."""
    import stanza

    stanza.logger.removeHandler(stanza.log_handler)
    stanza.logger.addHandler(logging.NullHandler())


@dataclass(frozen=True)
class Unparsed:
    """The reason why a sentence has no tree."""

    reason: str


Batch = Sequence[Sequence[str]]
"""Sentences that go through the parser together."""
ParsedBatch = list[str | Unparsed]


def parse_each(parser: ConstituencyParser, sentences: Batch) -> ParsedBatch:
    """`parser.parse`, with `Unparsed` for each sentence that the parser can't parse.

    Raises:
        FailedError: the device or the parser failed, whatever the sentence.
        MemoryError: or torch's out-of-memory error.
    """
    try:
        return list(parser.parse(sentences))
    except Exception as error:
        if is_out_of_memory(error):
            raise
        if not isinstance(error, _REFUSALS) or _DEVICE.search(str(error)):
            message = f"the parser failed: {type(error).__name__}: {_reason(error)}"
            raise FailedError(message) from error
        if len(sentences) == 1:
            return [Unparsed(_reason(error))]
    # The sentence must not cost those beside it: each is tried alone.
    return [tree for sentence in sentences for tree in parse_each(parser, [sentence])]


def parse_in_process(folder: Path, gpu: bool, batch: Batch) -> ParsedBatch:
    """Parse a batch with the parser cached in this process."""
    return parse_each(_load_once(folder, gpu), batch)


@cache
def _load_once(folder: Path, gpu: bool) -> ConstituencyParser:
    import torch

    torch.set_num_threads(1)  # several processes share the cores
    return ConstituencyParser.load(folder, gpu=gpu)


def _reason(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__
