"""Stage `parse`: one constituency tree for each tokenised source sentence.

Sentences are read in windows; those not in the parse cache go to workers in batches of similar
length. Workers are local processes or tasks of a Ray cluster, one thread each; trees depend on
neither kind nor number of workers.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, OutputFile, OutputFolder, Report
from mgsa.cli.errors import FailedError
from mgsa.cli.progress import progress_bar
from mgsa.cli.run import run
from mgsa.run_config import RunConfig
from pipeline.constituency.parser_folder import read_parser_folder
from pipeline.constituency.stanza_parser import (
    BATCH_SENTENCES,
    ParsedBatch,
    Unparsed,
    parse_in_process,
)
from pipeline.formats.text import SPLITS, files_to_write, read_splits, split_tokens
from pipeline.formats.trees import bracketed, flat_tree, read_parse
from pipeline.parse.memory import ParseMemory
from pipeline.parse.ray_parser import ray_parser
from pipeline.parse.settings import ParseSettings
from pipeline.stage.command import stage, stage_outputs
from pipeline.stage.workers import chunks, map_chunks

WINDOW_SENTENCES = 16384
"""Sentences that are sorted by length together, and held in memory."""
MOST_FAILED, MOST_FAILED_SHARE = 5, 0.005
"""Sentences that the parser may refuse: so many, or such a share of the corpus."""

SplitTree = tuple[str, str]
"""The split of a sentence, and its tree on one line."""
ParseBatches = Callable[[Iterable[list[str]]], Iterator[ParsedBatch]]
"""Parses sentences in batches of `BATCH_SENTENCES`, which come in their order."""


def read_tokens(tokenized: Path) -> Iterator[tuple[str, list[str]]]:
    """Split and tokens of the source sentences of all splits, in order."""
    for split, line, (text,) in read_splits((tokenized, "source")):
        yield split, split_tokens(text, path=tokenized / f"{split}.source", line=line)


def ready_trees(tokenized: Path) -> Iterator[SplitTree]:
    """The corpus's own trees, checked against the tokens."""
    for split, line, (brackets, text) in read_splits((tokenized, "trees"), (tokenized, "source")):
        path, source = (tokenized / f"{split}.{name}" for name in ("trees", "source"))
        tree = read_parse(brackets, text, path=path, tokens_path=source, line=line)
        yield split, bracketed(tree)


def flat_trees(tokenized: Path) -> Iterator[SplitTree]:
    """A flat tree for each sentence."""
    for split, tokens in read_tokens(tokenized):
        yield split, bracketed(flat_tree(tokens))


def parse_corpus(
    tokenized: Path,
    counts: Counter[str],
    *,
    memory: ParseMemory,
    max_words: int,
    parse_batches: ParseBatches,
) -> Iterator[SplitTree]:
    """Yield the trees of all sentences; count `parsed` ones, and flat ones by reason.

    Results are cached before an error of `parse_batches` is raised.
    """
    refused: dict[bytes, Unparsed] = {}
    num_read = 0
    with progress_bar("parse", total=None, unit="sentences") as advance:
        for window in chunks(read_tokens(tokenized), WINDOW_SENTENCES):
            short = {memory.key(s): s for _, s in window if len(s) <= max_words}
            trees = memory.trees(short)
            new = [(key, s) for key, s in short.items() if key not in trees and key not in refused]
            # By length, so that a batch holds little padding; by the words then, for a fixed order.
            new.sort(key=lambda sentence: (len(sentence[1]), sentence[1]))
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
                key = memory.key(tokens)
                if key not in trees:
                    counts["flat_failed" if key in refused else "flat_too_long"] += 1
                yield split, trees.get(key) or bracketed(flat_tree(tokens))
            if counts["flat_failed"] > max(MOST_FAILED, MOST_FAILED_SHARE * num_read):
                raise FailedError(
                    f"parse: the parser refuses {counts['flat_failed']:,} of {num_read:,} "
                    f"sentences, the last as: {list(refused.values())[-1].reason}"
                )


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
    counts: Counter[str] = Counter()
    reported = ["sentences"]
    with stage_outputs(out, report) as (folder, metrics), ExitStack() as stack:
        match used.kind:
            case "trees":
                trees = ready_trees(tokenized)
            case "none":
                trees = flat_trees(tokenized)
            case _:
                reported += ["flat_too_long", "flat_failed"]
                parse_batches: ParseBatches = partial(
                    map_chunks,
                    partial(parse_in_process, parser, run.parse_gpu),
                    workers=run.workers,
                    chunk_size=BATCH_SENTENCES,
                )
                if run.executor == "ray":
                    parse_batches = stack.enter_context(ray_parser(parser, run))
                trees = parse_corpus(
                    tokenized,
                    counts,
                    memory=stack.enter_context(ParseMemory(memory, used.identity)),
                    max_words=parse.max_words,
                    parse_batches=parse_batches,
                )
        with files_to_write(folder, [f"{split}.trees" for split in SPLITS]) as files:
            for split, tree in trees:
                files[f"{split}.trees"].write(f"{tree}\n")
                counts["sentences"] += 1
        metrics.update({name: counts[name] for name in reported})
    # How many were parsed now depends on earlier runs, so the report is silent on it.
    flat = counts["flat_too_long"] + counts["flat_failed"]
    flat = counts["sentences"] if used.kind == "none" else flat
    print(
        f"parse: {counts['sentences']:,} sentences, {counts['parsed']:,} parsed now, {flat:,} flat",
        file=sys.stderr,
    )


main = stage(parse_source)

if __name__ == "__main__":
    sys.exit(run(main))
