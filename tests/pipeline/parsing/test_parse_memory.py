"""Sentences that are remembered between runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from pipeline.parsing.parse_memory import ParseMemory
from tests.full_disk import room_for


def test_trees_outlive_the_run(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with ParseMemory(path, "parser") as memory:
        key = memory.key(["a", "b"])
        memory.store({key: "(ROOT (X a) (X b))"})
    with ParseMemory(path, "parser") as memory:
        assert memory.trees([key, memory.key(["c"])]) == {key: "(ROOT (X a) (X b))"}


def test_another_parser_remembers_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with ParseMemory(path, "one parser") as memory:
        memory.store({memory.key(["a"]): "(ROOT (X a))"})
    with ParseMemory(path, "another parser") as memory:
        assert memory.trees([memory.key(["a"])]) == {}


def test_two_runs_share_the_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with ParseMemory(path, "parser") as one, ParseMemory(path, "parser") as other:
        one.store({one.key(["a"]): "(ROOT (X a))"})
        other.store({other.key(["b"]): "(ROOT (X b))"})
        both = {one.key(["a"]), one.key(["b"])}
        assert one.trees(both).keys() == other.trees(both).keys() == both


def test_more_keys_than_a_statement_takes(tmp_path: Path) -> None:
    with ParseMemory(tmp_path / "memory.sqlite", "parser") as memory:
        trees = {memory.key([str(number)]): f"(ROOT (X {number}))" for number in range(1203)}
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
