"""Stage `parse`: one constituency tree for each tokenised source sentence.

Sentences are read in windows; those of a window that no earlier run has parsed go to workers in
batches of similar length, each worker with a parser on one thread. Workers are processes of this
machine or of a Ray cluster; the trees depend neither on which nor on how many there are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Annotated

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


def parse_corpus(
    tokenized: Path,
    folder: Path,
    *,
    memory: ParseMemory,
    max_words: int,
    parse_batches: ParseBatches,
) -> tuple[dict[str, int], int]:
    """Write `{split}.trees`; give counts, and how many sentences were parsed, not remembered.

    Raises:
        InputError: the tokenised text is damaged.
        FailedError: the parser refuses too many sentences.
        Exception: what `parse_batches` raises, after its results so far are remembered.
    """
    counts = dict.fromkeys(("sentences", "flat_too_long", "flat_failed"), 0)
    num_parsed = 0
    refused: dict[bytes, Unparsed] = {}
    with (
        open_splits(folder) as outputs,
        progress_bar("parse", total=None, unit="sentences") as advance,
    ):
        for window in chunks(read_tokens(tokenized), WINDOW_SENTENCES):
            short = {memory.key(s): s for _, _, s in window if len(s) <= max_words}
            trees = memory.trees(short)
            new = {key: short[key] for key in short.keys() - trees.keys() - refused.keys()}
            for parsed in _parse_new(new, parse_batches):
                found = {key: tree for key, tree in parsed.items() if isinstance(tree, str)}
                refused |= {key: tree for key, tree in parsed.items() if isinstance(tree, Unparsed)}
                memory.store(found)
                trees |= found
                num_parsed += len(found)
                advance(len(parsed))
            for split, line, tokens in window:
                counts["sentences"] += 1
                key = memory.key(tokens)
                if key in trees:
                    tree = trees[key]
                    where = f"the remembered tree of {split}.source"
                    check_leaves(
                        read_tree(tree, path=where, line=line), tokens, path=where, line=line
                    )
                else:
                    tree = bracketed(flat_tree(tokens))
                    counts["flat_failed" if key in refused else "flat_too_long"] += 1
                    if key in refused and counts["flat_failed"] == 1:
                        why = f"the first sentence without a tree: {refused[key].reason}"
                        print(f"parse: {split}.source:{line}: {why}", file=sys.stderr)
                outputs[split].write(f"{tree}\n")
            if counts["flat_failed"] > max(MOST_FAILED, MOST_FAILED_SHARE * counts["sentences"]):
                raise FailedError(
                    f"parse: the parser refuses {counts['flat_failed']:,} of "
                    f"{counts['sentences']:,} sentences, the last of them as: "
                    f"{list(refused.values())[-1].reason}"
                )
    return counts, num_parsed


def _parse_new(
    sentences: Mapping[bytes, list[str]], parse_batches: ParseBatches
) -> Iterator[dict[bytes, str | Unparsed]]:
    """The trees of sentences by their keys, batch by batch."""
    # By length, so that a batch holds little padding; by the words then, for a fixed order.
    ordered = sorted(sentences.items(), key=lambda item: (len(item[1]), item[1]))
    batches = list(chunks(ordered, BATCH_SENTENCES))
    results = parse_batches([[tokens for _, tokens in batch] for batch in batches])
    for batch, trees in zip(batches, results, strict=True):
        yield {key: tree for (key, _), tree in zip(batch, trees, strict=True)}


def parse_in_processes(
    folder: Path, run: RunConfig, batches: Iterable[Batch]
) -> Iterator[ParsedBatch]:
    """Parse batches, all but the last of `BATCH_SENTENCES`, on this machine, in their order."""
    return map_chunks(
        partial(parse_in_process, folder, run.parse_gpu),
        chain.from_iterable(batches),
        workers=run.workers,
        chunk_size=BATCH_SENTENCES,
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
def open_splits(folder: Path) -> Iterator[dict[str, IO[str]]]:
    """Open `{split}.trees` of every split for writing."""
    with ExitStack() as files:
        yield {
            split: files.enter_context(open_to_write(folder / f"{split}.trees")) for split in SPLITS
        }


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
    with open_splits(folder) as outputs:
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
                with ExitStack() as stack:
                    remembered = stack.enter_context(ParseMemory(memory, used.identity))
                    parse_batches: ParseBatches = partial(parse_in_processes, parser, run)
                    if run.executor == "ray":
                        parse_batches = stack.enter_context(ray_parser(parser, run))
                    counts, num_parsed = parse_corpus(
                        tokenized,
                        folder,
                        memory=remembered,
                        max_words=parse.max_words,
                        parse_batches=parse_batches,
                    )
                metrics.update(counts)
    # How many were parsed now depends on earlier runs, so the report is silent on it.
    flat = metrics.get("flat_too_long", 0) + metrics.get("flat_failed", 0)
    print(
        f"parse: {metrics['sentences']:,} sentences, {num_parsed:,} parsed now, {flat:,} flat",
        file=sys.stderr,
    )


main = stage(parse_source)

if __name__ == "__main__":
    sys.exit(run(main))
