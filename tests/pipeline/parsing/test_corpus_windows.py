"""A corpus in windows, which bound what is held in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import pipeline.base.workers
from pipeline.parsing.corpus_windows import Corpus
from pipeline.parsing.parse_memory import ParseMemory
from tests.parse_inputs import write_tokenized


def test_windows_end_at_a_number_of_characters_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence may be a megabyte, and a window of many such more than fits memory."""
    texts = ["a b", "c", "dd e", "f g h", "ii"]
    tokenized = write_tokenized(tmp_path / "tokenized", texts)
    monkeypatch.setattr(pipeline.base.workers, "CHUNK_CHARACTERS", 3)
    with ParseMemory(tmp_path / "memory.sqlite", "parser") as memory:
        corpus = Corpus(tokenized, memory, 10)
        sentences = [" ".join(tokens) for batch in corpus.batches() for tokens in batch.sentences]
        windows = [[line for _, line, _ in window.sentences] for window in corpus.windows]
    assert windows[:4] == [[1, 2], [3], [4], [5, 1]]
    assert sorted(sentences) == sorted(texts)
