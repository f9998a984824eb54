"""Stage `parse`: one constituency tree for each tokenised source sentence.

Sentences are read in windows; those of a window that no earlier run has parsed go to workers in
batches of similar length, each worker with a parser on one thread. Workers are processes of this
machine or of a Ray cluster; the trees depend neither on which nor on how many there are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated

from mgsa.base.cli import progress_bar, run
from mgsa.base.command import Input, OutputFile, OutputFolder, Report
from mgsa.base.errors import FailedError, InputError
from mgsa.base.io import open_to_write
from mgsa.base.settings import Positive, RunConfig
from pipeline.base.stage import SPLITS, stage, stage_outputs
from pipeline.base.text import read_parallel, read_sentences, split_tokens
from pipeline.base.workers import chunks, map_chunks
from pipeline.parsing.parse_memory import ParseMemory
from pipeline.parsing.parser_folder import read_parser_folder
from pipeline.parsing.ray_parser import ray_parser
from pipeline.parsing.stanza_parser import (
    BATCH_SENTENCES,
    Batch,
    ParsedBatch,
    Unparsed,
    parse_in_process,
)
from pipeline.tokens.trees import bracketed, check_leaves, flat_tree, read_tree

WINDOW_SENTENCES = 16384
"""Sentences that are sorted by length together, and held in memory."""
MOST_FAILED, MOST_FAILED_SHARE = 5, 0.005
"""Sentences that the parser may refuse: so many, or such a share of the corpus."""

Sentence = tuple[str, int, list[str]]
"""Its split, its line there, and its tokens."""
ParseBatches = Callable[[Iterable[Batch]], Iterator[ParsedBatch]]


@dataclass(frozen=True)
class ParseSettings:
    """How to parse: sentences of more than `max_words` words get a flat tree."""

    max_words: Positive


@dataclass
class Corpus:
    """The sentences of all splits, whose trees are written window by window."""

    tokenized: Path
    memory: ParseMemory
    max_words: int
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("sentences", "flat_too_long", "flat_failed"), 0)
    )
    failed: dict[bytes, Unparsed] = field(default_factory=dict)

    def parse_to(self, folder: Path, parse_batches: ParseBatches) -> int:
        """Write `{split}.trees` to `folder`; how many sentences were parsed, not remembered.

        Raises:
            InputError: the tokenised text is damaged.
            FailedError: the parser refuses too many sentences.
            Exception: what `parse_batches` raises, after its results so far are remembered.
        """
        num_parsed = 0
        with ExitStack() as files:
            outputs = {
                split: files.enter_context(open_to_write(folder / f"{split}.trees"))
                for split in SPLITS
            }
            advance = files.enter_context(progress_bar("parse", total=None, unit="sentences"))
            for window in chunks(read_tokens(self.tokenized), WINDOW_SENTENCES):
                batches = self._new_batches(window)
                results = parse_batches([list(batch.values()) for batch in batches])
                for batch, trees in zip(batches, results, strict=True):
                    num_parsed += self._remember(batch, trees)
                    advance(len(batch))
                for (split, _, _), tree in zip(window, self._trees(window), strict=True):
                    outputs[split].write(f"{tree}\n")
                self._check_failed()
        return num_parsed

    def _new_batches(self, window: list[Sentence]) -> list[dict[bytes, list[str]]]:
        """The sentences of a window that are neither remembered nor refused, by their keys."""
        tokens_of = {
            self.memory.key(tokens): tokens
            for _, _, tokens in window
            if len(tokens) <= self.max_words
        }
        new = tokens_of.keys() - self.memory.known(tokens_of) - self.failed.keys()
        # By length, so that a batch holds little padding; by the words then, for a fixed order.
        ordered = sorted(new, key=lambda key: (len(tokens_of[key]), tokens_of[key]))
        return [{key: tokens_of[key] for key in keys} for keys in chunks(ordered, BATCH_SENTENCES)]

    def _remember(self, batch: Iterable[bytes], trees: ParsedBatch) -> int:
        """Store the trees of a batch; how many they are."""
        found = {}
        for key, tree in zip(batch, trees, strict=True):
            if isinstance(tree, Unparsed):
                self.failed[key] = tree
            else:
                found[key] = tree
        self.memory.store(found)
        return len(found)

    def _trees(self, window: list[Sentence]) -> Iterator[str]:
        """The trees of a window's sentences, flat ones where there is no other; counts them."""
        keys = [self.memory.key(tokens) for _, _, tokens in window]
        trees = self.memory.trees(set(keys))
        for key, (split, line, tokens) in zip(keys, window, strict=True):
            self.counts["sentences"] += 1
            if len(tokens) > self.max_words:
                self.counts["flat_too_long"] += 1
                yield bracketed(flat_tree(tokens))
            elif key in trees:
                where = f"the remembered tree of {split}.source"
                tree = read_tree(trees[key], path=where, line=line)
                check_leaves(tree, tokens, path=where, line=line)
                yield trees[key]
            else:
                if self.counts["flat_failed"] == 0:
                    why = f"the first sentence without a tree: {self.failed[key].reason}"
                    print(f"parse: {split}.source:{line}: {why}", file=sys.stderr)
                self.counts["flat_failed"] += 1
                yield bracketed(flat_tree(tokens))

    def _check_failed(self) -> None:
        failed, sentences = self.counts["flat_failed"], self.counts["sentences"]
        if failed > max(MOST_FAILED, MOST_FAILED_SHARE * sentences):
            last = list(self.failed.values())[-1].reason
            raise FailedError(
                f"parse: the parser refuses {failed:,} of {sentences:,} sentences, the last of "
                f"them as: {last}"
            )


def read_tokens(tokenized: Path) -> Iterator[Sentence]:
    """The source sentences of all splits, in order.

    Raises:
        InputError: a file is missing or damaged.
    """
    for split in SPLITS:
        path = tokenized / f"{split}.source"
        for line, text in enumerate(read_sentences(path), start=1):
            yield split, line, split_tokens(text, path=path, line=line)


@contextmanager
def process_parser(folder: Path, run: RunConfig) -> Iterator[ParseBatches]:
    """Give a function that parses batches in processes of this machine, in their order."""

    def parse_batches(batches: Iterable[Batch]) -> Iterator[ParsedBatch]:
        function = partial(_parse_chunk, folder, run.parse_gpu)
        return map_chunks(function, batches, workers=run.workers, chunk_size=1)

    yield parse_batches


def _parse_chunk(folder: Path, gpu: bool, chunk: list[Batch]) -> ParsedBatch:
    (batch,) = chunk
    return parse_in_process(folder, gpu, batch)


def copy_trees(tokenized: Path, folder: Path) -> dict[str, int]:
    """Ready-made trees instead of a parser: each is checked against its sentence's tokens."""
    counts = {"sentences": 0}
    for split in SPLITS:
        path = tokenized / f"{split}.trees"
        if not path.is_file():
            raise InputError(
                "no such file: parser.kind is trees, so the corpus brings them", path=path
            )
        source = tokenized / f"{split}.source"
        pairs = read_parallel([source, path])
        with open_to_write(folder / path.name) as file:
            for line, (text, brackets) in enumerate(pairs, start=1):
                tree = read_tree(brackets, path=path, line=line)
                tokens = split_tokens(text, path=source, line=line)
                check_leaves(tree, tokens, path=path, line=line)
                file.write(f"{bracketed(tree)}\n")
                counts["sentences"] += 1
    return counts


def write_flat_trees(tokenized: Path, folder: Path) -> dict[str, int]:
    """A tree for each sentence that says nothing but its words, where nothing parses."""
    counts = {"sentences": 0}
    with ExitStack() as files:
        outputs = {
            split: files.enter_context(open_to_write(folder / f"{split}.trees")) for split in SPLITS
        }
        for split, _, tokens in read_tokens(tokenized):
            outputs[split].write(f"{bracketed(flat_tree(tokens))}\n")
            counts["sentences"] += 1
    return counts


def parse_source(
    parse: ParseSettings,
    run: RunConfig,
    *,
    tokenized: Annotated[Path, Input("tokenised text")],
    parser: Annotated[Path, Input("the parser")],
    out: Annotated[Path, OutputFolder("trees", *(f"{split}.trees" for split in SPLITS))],
    memory: Annotated[
        Path,
        OutputFile(
            "parsed sentences, kept between runs (default: data/parse_memory.sqlite)", shared=True
        ),
    ] = Path("data/parse_memory.sqlite"),
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Parse the source side of a corpus, or check and copy its trees, or write flat ones."""
    used = read_parser_folder(parser)
    num_parsed = 0
    with stage_outputs(out, report) as (folder, metrics):
        match used.kind:
            case "trees":
                metrics.update(copy_trees(tokenized, folder))
            case "none":
                metrics.update(write_flat_trees(tokenized, folder))
            case "stanza":
                executor = ray_parser if run.executor == "ray" else process_parser
                with (
                    ParseMemory(memory, used.identity) as remembered,
                    executor(parser, run) as parse_batches,
                ):
                    corpus = Corpus(tokenized, remembered, parse.max_words)
                    num_parsed = corpus.parse_to(folder, parse_batches)
                metrics.update(corpus.counts)
    # How many were parsed now depends on earlier runs, so the report is silent on it.
    flat = metrics.get("flat_too_long", 0) + metrics.get("flat_failed", 0)
    print(
        f"parse: {metrics['sentences']:,} sentences, {num_parsed:,} parsed now, {flat:,} flat",
        file=sys.stderr,
    )


main = stage(parse_source)

if __name__ == "__main__":
    sys.exit(run(main))
