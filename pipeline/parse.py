"""Stage `parse`: one constituency tree for each tokenised source sentence.

Sentences are read in windows; those of a window that no earlier run has parsed go to workers in
batches of similar length, each worker with a parser on one thread. Workers are processes of this
machine, or actors of a Ray cluster; the trees don't depend on which, nor on how many there are.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from mgsa.base.cli import progress, run
from mgsa.base.errors import InputError
from mgsa.base.io import open_to_write
from mgsa.base.settings import Positive
from pipeline import ray_pool
from pipeline.base import workers
from pipeline.base.stage import SPLITS, argument_parser, atomic_outputs, read_settings
from pipeline.base.text import read_parallel, split_tokens
from pipeline.parsing.corpus_windows import Batch, Corpus, read_tokens
from pipeline.parsing.parse_memory import ParseMemory
from pipeline.parsing.parse_worker import ParsedBatch, parse_batch, start
from pipeline.parsing.parser_folder import ParserFolder, read_parser_folder
from pipeline.parsing.sent_parser import send_parser
from pipeline.parsing.stanza_parser import Unparsed
from pipeline.parsing.tree_writer import TreeWriter
from pipeline.ray_cluster import connected
from pipeline.trees import bracketed, check_leaves, flat_tree, read_tree


@dataclass(frozen=True)
class ParseSettings:
    """How to parse: sentences of more than `max_words` words get a flat tree."""

    max_words: Positive
    executor: Literal["processes", "ray"]
    ray_address: str | None
    workers: Positive
    gpu: bool

    def __post_init__(self) -> None:
        if self.ray_address is not None and self.executor != "ray":
            raise ValueError(
                f"ray_address: expected null, as the executor is {self.executor}; or executor: ray"
            )
        # Not ray://HOST:PORT: Ray's client leaves every other connection without an answer.
        if not re.fullmatch(r"auto|[^/\s]+:\d{1,5}", self.ray_address or "auto"):
            raise ValueError(
                "ray_address: expected auto or HOST:PORT, on a machine of the cluster, "
                f"got {self.ray_address!r}"
            )


def parse_corpus(
    tokenized: Path, parser_folder: Path, folder: Path, memory: ParseMemory, settings: ParseSettings
) -> dict[str, int]:
    """Write `{split}.trees` to `folder`; count sentences, flat trees and what was parsed anew.

    Raises:
        InputError: the tokenised text or the parser is damaged, or there is no such cluster.
        FailedError: the cluster has no worker for us.
        WorkerDiedError: a worker was killed; on a cluster, several at one batch.
    """
    corpus = Corpus(tokenized, memory, settings.max_words)
    num_parsed = 0
    with ExitStack() as files:
        writer = TreeWriter(folder, memory, settings.max_words, files)
        parsed = files.enter_context(
            closing(_parsed_batches(corpus.batches(), parser_folder, settings))
        )
        shown = progress(
            parsed, "parse", total=None, unit="sentences", size=lambda batch: len(batch.keys)
        )
        for batch in shown:
            found = {}
            for key, tree in zip(batch.keys, batch.trees, strict=True):
                if isinstance(tree, Unparsed):
                    writer.failed[key] = tree
                else:
                    found[key] = tree
            memory.store(found)
            corpus.stored(found)  # not what failed: it is not tried again in this run
            num_parsed += len(found)
            while corpus.windows and corpus.windows[0].last_batch <= batch.number:
                writer.write(corpus.windows.popleft())
    return writer.counts | {"parsed": num_parsed}


def _parsed_batches(
    batches: Iterator[Batch], parser: Path, settings: ParseSettings
) -> Generator[ParsedBatch]:
    """The batches in their order, parsed by the workers that the settings name."""
    match settings.executor:
        case "processes":
            yield from workers.map_chunks(
                parse_batch,
                batches,
                workers=settings.workers,
                chunk_size=1,
                initializer=start,
                initargs=(partial(nullcontext, parser), settings.gpu),
            )
        case "ray":
            address = settings.ray_address
            with connected(address, workers=settings.workers, gpu=settings.gpu):
                # Workers of this machine find the parser where it is, whatever their own folder.
                here = partial(nullcontext, parser.resolve())
                yield from ray_pool.map_chunks(
                    parse_batch,
                    batches,
                    workers=settings.workers,
                    chunk_size=1,
                    gpu=settings.gpu,
                    initializer=start,
                    initargs=(send_parser(parser).unpacked if address else here, settings.gpu),
                )


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
    counts = dict.fromkeys(SPLITS, 0)
    with ExitStack() as files:
        opened = {
            split: files.enter_context(open_to_write(folder / f"{split}.trees")) for split in SPLITS
        }
        for split, _, tokens in read_tokens(tokenized):
            opened[split].write(f"{bracketed(flat_tree(tokens))}\n")
            counts[split] += 1
    return {"sentences": sum(counts.values())}


def _check_paths(tokenized: Path, parser: Path, out: Path, memory: Path) -> ParserFolder:
    if out.resolve() == tokenized.resolve():  # it may hold ready-made trees, as if it were ours
        raise InputError("expected another folder than --tokenized", path=out)
    if memory.resolve().is_relative_to(out.resolve()):
        raise InputError(f"expected a memory outside of {out}, which is replaced", path=memory)
    for split in SPLITS:
        if not (tokenized / f"{split}.source").is_file():
            raise InputError("no such file", path=tokenized / f"{split}.source")
    return read_parser_folder(parser)


def main(argv: Sequence[str] | None = None) -> None:
    """Parse a corpus, or check and copy the trees that came with it, or write flat ones."""
    parser = argument_parser("parse", "Parse the source side of a tokenised corpus.")
    parser.add_argument("--tokenized", type=Path, required=True, metavar="DIR")
    parser.add_argument("--parser", type=Path, required=True, metavar="DIR")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="trees")
    parser.add_argument("--report", type=Path, required=True, metavar="FILE", help="counts (JSON)")
    parser.add_argument(
        "--memory",
        type=Path,
        default=Path("data/parse_memory.sqlite"),
        metavar="FILE",
        help="parsed sentences, kept between runs (default: data/parse_memory.sqlite)",
    )
    arguments = parser.parse_args(argv)
    settings = read_settings(arguments, "parse", ParseSettings)
    used = _check_paths(arguments.tokenized, arguments.parser, arguments.out, arguments.memory)
    read = [arguments.tokenized, arguments.parser]
    with atomic_outputs(arguments.out, arguments.report, "train.trees", inputs=read) as (
        folder,
        report,
    ):
        match used.kind:
            case "trees":
                counts = copy_trees(arguments.tokenized, folder)
            case "none":
                counts = write_flat_trees(arguments.tokenized, folder)
            case "stanza":
                with ParseMemory(arguments.memory, used.identity) as memory:
                    counts = parse_corpus(
                        arguments.tokenized, arguments.parser, folder, memory, settings
                    )
        # What was parsed now depends on earlier runs, so the report is silent on it.
        num_parsed = counts.pop("parsed", 0)
        report.update(counts)
    flat = counts.get("flat_too_long", 0) + counts.get("flat_failed", 0)
    print(
        f"parse: {counts['sentences']:,} sentences, {num_parsed:,} parsed now, {flat:,} flat",
        file=sys.stderr,
    )


if __name__ == "__main__":
    sys.exit(run(main))
