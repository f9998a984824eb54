"""Stage `parse`: one constituency tree for each tokenised source sentence.

Sentences are read in windows; those of a window that no earlier run has parsed go to worker
processes in batches of similar length, each worker with a parser on one thread. Which sentences
share a batch follows from the text and the memory alone, never from the number of workers.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path

from mgsa.command import progress, run
from mgsa.errors import InputError
from mgsa.files import open_to_write
from mgsa.settings import Positive
from pipeline.parsing.parse_memory import ParseMemory
from pipeline.parsing.parser_folder import ParserFolder, read_parser_folder
from pipeline.parsing.stanza_parser import BATCH_SENTENCES, ConstituencyParser, Unparsed, parse_each
from pipeline.stage import SPLITS, argument_parser, read_settings, replacing_outputs
from pipeline.text import read_parallel, read_sentences, split_tokens
from pipeline.trees import check_leaves, flat_tree, read_tree
from pipeline.workers import map_chunks

WINDOW_SENTENCES = 16384
"""Sentences that are sorted by length together, and held in memory."""


Sentence = tuple[str, int, list[str]]
"""Its split, its line there, and its tokens."""


@dataclass(frozen=True)
class ParseSettings:
    """How to parse: sentences of more than `max_words` words get a flat tree."""

    max_words: Positive
    workers: Positive
    gpu: bool


@dataclass(frozen=True)
class Window:
    """Sentences read together, to be written when their last batch is parsed."""

    sentences: list[Sentence]
    last_batch: int


@dataclass(frozen=True)
class ParsedBatch:
    """The trees of a batch, or why there is none for a sentence."""

    number: int
    keys: list[bytes]
    trees: list[str | Unparsed]


class Corpus:
    """The sentences of all splits in windows, and the batches of those that must be parsed."""

    def __init__(self, tokenized: Path, memory: ParseMemory, max_words: int) -> None:
        self._tokenized = tokenized
        self._memory = memory
        self._max_words = max_words
        self._given_out: set[bytes] = set()
        self._num_batches = 0
        self.windows: deque[Window] = deque()

    def batches(self) -> Iterator[tuple[int, list[bytes], list[list[str]]]]:
        """Batches of new sentences: number, keys, tokens. Fills `windows` on the way."""
        sentences = _read_tokens(self._tokenized)
        while window := list(islice(sentences, WINDOW_SENTENCES)):
            yield from self._batches_of(window)

    def stored(self, keys: Iterable[bytes]) -> None:
        """Note that these sentences are in the memory now, and need no other note."""
        self._given_out.difference_update(keys)

    def _batches_of(
        self, sentences: list[Sentence]
    ) -> Iterator[tuple[int, list[bytes], list[list[str]]]]:
        tokens_of = {
            self._memory.key(tokens): tokens
            for _, _, tokens in sentences
            if len(tokens) <= self._max_words
        }
        new = tokens_of.keys() - self._memory.known(tokens_of) - self._given_out
        # By length, so that a batch holds little padding; by the words then, for a fixed order.
        ordered = sorted(new, key=lambda key: (len(tokens_of[key]), tokens_of[key]))
        self._given_out |= new
        # With nothing new there is one batch, an empty one: its result has the windows before it
        # written. Without it, a corpus that is all remembered would be read as a whole first.
        starts = range(0, max(1, len(ordered)), BATCH_SENTENCES)
        first = self._num_batches
        self._num_batches += len(starts)
        self.windows.append(Window(sentences, last_batch=self._num_batches - 1))
        for number, start in enumerate(starts, start=first):
            keys = ordered[start : start + BATCH_SENTENCES]
            yield number, keys, [tokens_of[key] for key in keys]


class TreeWriter:
    """Writes the trees of windows, flat ones where there is no other, and counts."""

    def __init__(self, folder: Path, memory: ParseMemory, max_words: int, files: ExitStack) -> None:
        self._memory = memory
        self._max_words = max_words
        self._files = {
            split: files.enter_context(open_to_write(folder / f"{split}.trees")) for split in SPLITS
        }
        self.failed: dict[bytes, Unparsed] = {}
        self.counts = {"sentences": 0, "flat_too_long": 0, "flat_failed": 0}

    def write(self, window: Window) -> None:
        """Write the trees of a window whose sentences are all in the memory, or failed."""
        keys = [self._memory.key(tokens) for _, _, tokens in window.sentences]
        trees = self._memory.trees(set(keys))
        for key, (split, line, tokens) in zip(keys, window.sentences, strict=True):
            self.counts["sentences"] += 1
            if len(tokens) > self._max_words:
                self.counts["flat_too_long"] += 1
                tree = str(flat_tree(tokens))
            elif key not in trees:
                if self.counts["flat_failed"] == 0:
                    why = f"the first sentence without a tree: {self.failed[key].reason}"
                    print(f"parse: {split}.source:{line}: {why}", file=sys.stderr)
                self.counts["flat_failed"] += 1
                tree = str(flat_tree(tokens))
            else:
                tree = trees[key]
                where = f"the remembered tree of {split}.source"
                check_leaves(read_tree(tree, path=where, line=line), tokens, path=where, line=line)
            self._files[split].write(f"{tree}\n")


def parse_corpus(
    tokenized: Path, parser_folder: Path, folder: Path, memory: ParseMemory, settings: ParseSettings
) -> dict[str, int]:
    """Write `{split}.trees` to `folder`; count sentences, flat trees and what was parsed anew.

    Raises:
        InputError: the tokenised text or the parser is damaged.
    """
    corpus = Corpus(tokenized, memory, settings.max_words)
    parsed = map_chunks(
        _parse_batch,
        corpus.batches(),
        workers=settings.workers,
        chunk_size=1,
        initializer=_start,
        initargs=(parser_folder, settings.gpu),
    )
    num_parsed = 0
    with ExitStack() as files:
        writer = TreeWriter(folder, memory, settings.max_words, files)
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
            for line, (text, bracketed) in enumerate(pairs, start=1):
                tree = read_tree(bracketed, path=path, line=line)
                tokens = split_tokens(text, path=source, line=line)
                check_leaves(tree, tokens, path=path, line=line)
                file.write(f"{tree}\n")
                counts["sentences"] += 1
    return counts


def write_flat_trees(tokenized: Path, folder: Path) -> dict[str, int]:
    """A tree for each sentence that says nothing but its words, where nothing parses."""
    counts = dict.fromkeys(SPLITS, 0)
    with ExitStack() as files:
        opened = {
            split: files.enter_context(open_to_write(folder / f"{split}.trees")) for split in SPLITS
        }
        for split, _, tokens in _read_tokens(tokenized):
            opened[split].write(f"{flat_tree(tokens)}\n")
            counts[split] += 1
    return {"sentences": sum(counts.values())}


def _read_tokens(tokenized: Path) -> Iterator[Sentence]:
    for split in SPLITS:
        path = tokenized / f"{split}.source"
        for line, text in enumerate(read_sentences(path), start=1):
            yield split, line, split_tokens(text, path=path, line=line)


_parser: Callable[[], ConstituencyParser]


def _start(folder: Path, gpu: bool) -> None:
    """Say which parser is this process's. It is loaded when there is a sentence for it."""
    global _parser
    _parser = cache(partial(_load, folder, gpu))


def _load(folder: Path, gpu: bool) -> ConstituencyParser:
    """A parser on one thread: several processes share the cores."""
    import torch

    torch.set_num_threads(1)
    return ConstituencyParser.load(folder, gpu=gpu)


def _parse_batch(chunk: list[tuple[int, list[bytes], list[list[str]]]]) -> ParsedBatch:
    ((number, keys, sentences),) = chunk
    return ParsedBatch(number, keys, parse_each(_parser(), sentences) if sentences else [])


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
    with replacing_outputs(arguments.out, arguments.report, "train.trees", inputs=read) as (
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
