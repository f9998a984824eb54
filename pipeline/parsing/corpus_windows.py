"""A tokenised corpus in windows: sentences in their order, and batches of those that are new.

Which sentences share a batch follows from the text and the memory alone, never from the number of
workers or from where they work.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.base.stage import SPLITS
from pipeline.base.text import read_sentences, split_tokens
from pipeline.base.workers import chunks
from pipeline.parsing.parse_memory import ParseMemory
from pipeline.parsing.stanza_parser import BATCH_SENTENCES

WINDOW_SENTENCES = 16384
"""Sentences that are sorted by length together, and held in memory."""

Sentence = tuple[str, int, list[str]]
"""Its split, its line there, and its tokens."""


@dataclass(frozen=True)
class Window:
    """Sentences read together, to be written when their last batch is parsed."""

    sentences: list[Sentence]
    last_batch: int


@dataclass(frozen=True)
class Batch:
    """Sentences that go through the parser together, and their keys in the memory."""

    number: int
    keys: list[bytes]
    sentences: list[list[str]]


class Corpus:
    """The sentences of all splits in windows, and the batches of those that must be parsed."""

    def __init__(self, tokenized: Path, memory: ParseMemory, max_words: int) -> None:
        self._tokenized = tokenized
        self._memory = memory
        self._max_words = max_words
        self._given_out: set[bytes] = set()
        self._num_batches = 0
        self.windows: deque[Window] = deque()

    def batches(self) -> Iterator[Batch]:
        """Batches of new sentences, in the order of their numbers. Fills `windows` on the way."""
        for window in chunks(read_tokens(self._tokenized), WINDOW_SENTENCES, _characters):
            yield from self._batches_of(window)

    def stored(self, keys: Iterable[bytes]) -> None:
        """Note that these sentences are in the memory now, and need no other note."""
        self._given_out.difference_update(keys)

    def _batches_of(self, sentences: list[Sentence]) -> Iterator[Batch]:
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
            yield Batch(number, keys, [tokens_of[key] for key in keys])


def _characters(sentence: Sentence) -> int:
    return sum(map(len, sentence[2]))


def read_tokens(tokenized: Path) -> Iterator[Sentence]:
    """The source sentences of all splits, in order.

    Raises:
        InputError: a file is missing or damaged.
    """
    for split in SPLITS:
        path = tokenized / f"{split}.source"
        for line, text in enumerate(read_sentences(path), start=1):
            yield split, line, split_tokens(text, path=path, line=line)
