"""What a worker does, wherever it is: a parser of its own, on one thread, and batch after batch."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from pipeline.parsing.corpus_windows import Batch
from pipeline.parsing.stanza_parser import ConstituencyParser, Unparsed, parse_each


@dataclass(frozen=True)
class ParsedBatch:
    """The trees of a batch, or why there is none for a sentence."""

    number: int
    keys: list[bytes]
    trees: list[str | Unparsed]


_parser: Callable[[], ConstituencyParser]


def start(folder: Callable[[], AbstractContextManager[Path]], gpu: bool) -> None:
    """Say which parser is this process's. It is loaded when there is a sentence for it.

    Args:
        folder: gives the parser's folder for as long as it takes to load it.
        gpu: whether it runs on the GPU.
    """
    global _parser
    _parser = cache(partial(_load, folder, gpu))


def parse_batch(chunk: list[Batch]) -> ParsedBatch:
    """Parse the one batch of the chunk."""
    (batch,) = chunk
    trees = parse_each(_parser(), batch.sentences) if batch.sentences else []
    return ParsedBatch(batch.number, batch.keys, trees)


def _load(folder: Callable[[], AbstractContextManager[Path]], gpu: bool) -> ConstituencyParser:
    """A parser on one thread: several processes share the cores."""
    import torch

    torch.set_num_threads(1)
    with folder() as path:
        return ConstituencyParser.load(path, gpu=gpu)
