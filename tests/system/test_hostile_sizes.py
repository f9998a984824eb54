"""Input of hostile size, under every command: trees of 100,000 brackets, a line of 100 MB."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import pytest

from mgsa.base.cli import BAD_INPUT, DONE
from tests.all_stages import contents, run_command

pytestmark = pytest.mark.slow

DEPTH = 100_000
LONG = 100_000_000
"""Bytes."""
READERS_OF_TREES = {
    "parse": "tokenized/train.trees",
    "partition": "parsed/train.trees",
    "probe data": "parsed/train.trees",
    "phrasal patterns": "parsed/test.trees",
    "report": "parsed/test.trees",
}
READERS_OF_LINES = {
    "corpus": "raw/train.en",
    "tokenize": "corpus/train.source",
    "parse": "tokenized/train.trees",
    "bpe": "tokenized/train.source",
    "partition": "parsed/train.trees",
    "align": "tokenized/train.target",
    "alignment error": "alignments/test.links",
    "dataset": "partitions/train.phrases",
    "evaluate": "translations/test.hypotheses",
}


@pytest.mark.parametrize("command", READERS_OF_TREES)
def test_a_tree_of_100_000_brackets_is_a_tree(folder: Path, command: str) -> None:
    path = folder / READERS_OF_TREES[command]
    lines = path.read_text("utf-8").split("\n")
    lines[2] = "(X " * DEPTH + lines[2] + ")" * DEPTH
    path.write_text("\n".join(lines), "utf-8")
    started = time.process_time()
    assert run_command(command) == DONE
    assert time.process_time() - started < 30  # a quadratic reader would take hours


@pytest.mark.parametrize("command", READERS_OF_LINES)
def test_a_line_of_100_mb_is_not_read(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / READERS_OF_LINES[command]
    with path.open("ab") as file:
        file.write(b"a" * LONG + b"\n")
    before = contents(folder).keys()
    capsys.readouterr()
    tracemalloc.start()
    try:
        assert run_command(command) == BAD_INPUT
        assert tracemalloc.get_traced_memory()[1] < LONG / 2
    finally:
        tracemalloc.stop()
    said = capsys.readouterr().err
    assert said.startswith(f"error: {READERS_OF_LINES[command]}:"), said
    assert "expected lines of at most 1,048,576 bytes" in said
    assert contents(folder).keys() == before
