"""Sentences that are remembered between runs."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from mgsa.cli.errors import InputError
from pipeline.parse.memory import ParseMemory
from pipeline.parse.sentences import WINDOW_SENTENCES
from tests.full_disk import room_for


def test_trees_outlive_the_run_and_are_of_one_parser(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with ParseMemory(path, "parser") as memory, ParseMemory(path, "another parser") as other:
        key = memory.key(["a", "b"])
        memory.store({key: "(ROOT (X a) (X b))"})
        other.store({other.key(["c"]): "(ROOT (X c))"})
        assert other.trees([other.key(["a", "b"])]) == {}
    with ParseMemory(path, "parser") as memory:
        assert memory.trees([key, memory.key(["c"])]) == {key: "(ROOT (X a) (X b))"}


def test_a_window_is_looked_up_at_once(tmp_path: Path) -> None:
    with ParseMemory(tmp_path / "memory.sqlite", "parser") as memory:
        words = [str(number) for number in range(WINDOW_SENTENCES)]
        trees = {memory.key([word]): f"(ROOT (X {word}))" for word in words}
        memory.store(trees)
        assert memory.trees(trees) == trees


def test_another_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    path.write_text("no database, but long enough to be read as one" * 100, encoding="utf-8")
    with pytest.raises(InputError, match=r"memory\.sqlite: expected a memory of parsed sentences"):
        ParseMemory(path, "parser")


def test_a_full_disk_is_named_and_costs_only_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with ParseMemory(path, "parser") as memory:
        old = {memory.key(["a"]): "(ROOT (X a))"}
        memory.store(old)
    with ParseMemory(path, "parser") as memory:
        new = {memory.key([str(number)]): f"(ROOT (X {number}))" for number in range(5000)}
        with room_for(100_000), pytest.raises(OSError, match=r"disk.*memory\.sqlite"):
            memory.store(new)
    with ParseMemory(path, "parser") as memory:
        assert memory.trees([*old, *new]) == old


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "my.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE notes (text)")
    before = path.read_bytes()
    with pytest.raises(InputError, match="another program's database"):
        ParseMemory(path, "parser")
    assert path.read_bytes() == before
