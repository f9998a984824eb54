"""Sentences to trees by a parser, in windows and batches, remembered between runs.

Sentences are read in windows; those not in the parse cache go to workers in batches of similar
length. Workers are local processes or tasks of a Ray cluster, one thread each; trees depend on
neither kind nor number of workers.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from mgsa.cli.errors import FailedError
from mgsa.cli.progress import progress_bar
from mgsa.cli.workers import chunks, map_chunks
from mgsa.run_config import RunConfig
from pipeline.constituency.parser_folder import ParserFolder
from pipeline.constituency.spelling import parser_words
from pipeline.constituency.stanza_parser import (
    BATCH_SENTENCES,
    ParsedBatch,
    Unparsed,
    parse_in_process,
)
from pipeline.formats.trees import bracketed, flat_tree
from pipeline.parse.memory import ParseMemory
from pipeline.parse.ray_parser import ray_parser

WINDOW_SENTENCES = 16384
"""Sentences that are sorted by length together, and held in memory."""
MOST_FAILED, MOST_FAILED_SHARE = 5, 0.005
"""Sentences that the parser may refuse: so many, or such a share of the corpus."""

SplitTree = tuple[str, str]
"""The split of a sentence, and its tree on one line."""
ParseBatches = Callable[[Iterable[list[str]]], Iterator[ParsedBatch]]
"""Parses sentences in batches of `BATCH_SENTENCES`, which come in their order."""


class ParseSentences(Protocol):
    """`parse_sentences` with a parser."""

    def __call__(
        self, sentences: Iterable[tuple[str, list[str]]], counts: Counter[str], *, total: int
    ) -> Iterator[SplitTree]:
        """The trees."""


@contextmanager
def loaded_parser(
    folder: Path, used: ParserFolder, run: RunConfig, *, memory: Path, max_words: int
) -> Iterator[ParseSentences]:
    """Yield `parse_sentences` with a parser's folder, in local processes or a Ray cluster."""
    with ExitStack() as stack:
        parse_batches: ParseBatches = partial(
            map_chunks,
            partial(parse_in_process, folder, run.parse_gpu),
            workers=run.workers,
            chunk_size=BATCH_SENTENCES,
        )
        if run.executor == "ray":
            parse_batches = stack.enter_context(ray_parser(folder, run))
        yield partial(
            parse_sentences,
            memory=stack.enter_context(ParseMemory(memory, used.identity)),
            max_words=max_words,
            language=used.language,
            parse_batches=parse_batches,
        )


def parse_sentences(
    sentences: Iterable[tuple[str, list[str]]],
    counts: Counter[str],
    *,
    total: int,
    memory: ParseMemory,
    max_words: int,
    language: str,
    parse_batches: ParseBatches,
) -> Iterator[SplitTree]:
    """Yield the trees of all sentences, `total` ones; count `parsed` and, by reason, flat ones.

    Results are cached before an error of `parse_batches` is raised.
    """

    def key_of(tokens: list[str]) -> bytes:
        # The tree depends on the words that the parser is given, its leaves on the tokens.
        return memory.key([*tokens, *parser_words(tokens, language)])

    refused: dict[bytes, Unparsed] = {}
    num_read = 0
    with progress_bar("parse", total=total, unit="sentences") as advance:
        for window in chunks(sentences, WINDOW_SENTENCES):
            short = {key_of(s): s for _, s in window if len(s) <= max_words}
            trees = memory.trees(short)
            new = [(key, s) for key, s in short.items() if key not in trees and key not in refused]
            # By length, so that a batch holds little padding; by the words then, for a fixed order.
            new.sort(key=lambda sentence: (len(sentence[1]), sentence[1]))
            advance(len(window) - len(new))
            results = parse_batches(tokens for _, tokens in new)
            for batch, parsed in zip(chunks(new, BATCH_SENTENCES), results, strict=True):
                by_key = {key: tree for (key, _), tree in zip(batch, parsed, strict=True)}
                refused |= {k: tree for k, tree in by_key.items() if isinstance(tree, Unparsed)}
                parsed_trees = {k: tree for k, tree in by_key.items() if isinstance(tree, str)}
                memory.store(parsed_trees)
                trees |= parsed_trees
                counts["parsed"] += len(parsed_trees)
                advance(len(batch))
            num_read += len(window)
            for split, tokens in window:
                key = key_of(tokens)
                if key not in trees:
                    counts["flat_failed" if key in refused else "flat_too_long"] += 1
                yield split, trees.get(key) or bracketed(flat_tree(tokens))
            if counts["flat_failed"] > max(MOST_FAILED, MOST_FAILED_SHARE * num_read):
                raise FailedError(
                    f"parse: the parser refuses {counts['flat_failed']:,} of {num_read:,} "
                    f"sentences, the last as: {list(refused.values())[-1].reason}"
                )
