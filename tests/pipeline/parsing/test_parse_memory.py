"""Sentences that are remembered between runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mgsa.base.errors import InputError
from pipeline.parsing.parse_memory import ParseMemory
from tests.full_disk import room_for
from tests.mutations import mutated_bytes, refusal


def test_trees_outlive_the_run(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with ParseMemory(path, "parser") as memory:
        key = memory.key(["a", "b"])
        memory.store({key: "(ROOT (X a) (X b))"})
    with ParseMemory(path, "parser") as memory:
        assert memory.trees([key, memory.key(["c"])]) == {key: "(ROOT (X a) (X b))"}
        assert memory.known([key, memory.key(["c"])]) == {key}


def test_another_parser_remembers_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with ParseMemory(path, "one parser") as memory:
        memory.store({memory.key(["a"]): "(ROOT (X a))"})
    with ParseMemory(path, "another parser") as memory:
        assert memory.known([memory.key(["a"])]) == set()


def test_two_runs_share_the_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with ParseMemory(path, "parser") as one, ParseMemory(path, "parser") as other:
        one.store({one.key(["a"]): "(ROOT (X a))"})
        other.store({other.key(["b"]): "(ROOT (X b))"})
        both = {one.key(["a"]), one.key(["b"])}
        assert one.known(both) == other.known(both) == both


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


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
OURS = "CREATE TABLE trees (key BLOB PRIMARY KEY, tree TEXT NOT NULL) WITHOUT ROWID"


@pytest.mark.parametrize(
    "schema",
    [
        "CREATE TABLE trees (height REAL)",
        f"CREATE VIEW trees AS SELECT i AS key, i AS tree FROM ({ENDLESS})",
        f"{OURS}; CREATE TRIGGER t AFTER INSERT ON trees BEGIN DELETE FROM trees; END",
        f"{OURS}; CREATE TABLE more (a)",
        "CREATE TABLE trees (key BLOB PRIMARY KEY, tree TEXT AS (upper(key))) WITHOUT ROWID",
    ],
    ids=["columns", "a view without end", "a trigger", "another table", "computed"],
)
def test_tables_of_something_else_are_named(tmp_path: Path, schema: str) -> None:
    path = tmp_path / "memory.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(schema)
    with pytest.raises(
        InputError, match=r"memory\.sqlite: expected a memory .* its tables are oth"
    ):
        ParseMemory(path, "parser")


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (b"(X a)", "one of which is no text"),
        (b"\xff", "one of which is no text"),
        ("x" * 5_000_000, "string or blob too big"),
    ],
    ids=["bytes", "no text", "large"],
)
def test_a_tree_of_something_else_is_named(tmp_path: Path, tree: str | bytes, message: str) -> None:
    path = tmp_path / "memory.sqlite"
    with ParseMemory(path, "parser") as memory:
        key = memory.key(["a"])
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT INTO trees VALUES (?, ?)", (key, tree))
    with (
        ParseMemory(path, "parser") as memory,
        pytest.raises(InputError, match=rf"memory\.sqlite: expected a memory of .*{message}"),
    ):
        memory.trees([key])


@settings(max_examples=25)  # each waits for the disk
@given(st.data())
def test_whatever_a_file_holds(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    path = tmp_path_factory.getbasetemp() / "memory.sqlite"

    def remember() -> None:
        with ParseMemory(path, "parser") as memory:
            keys = [memory.key([str(number)]) for number in range(20)]
            memory.trees(keys)
            memory.store({keys[0]: "(X a)"})

    for left in path.parent.glob(f"{path.name}*"):
        left.unlink()
    with ParseMemory(path, "parser") as memory:
        memory.store({memory.key([str(number)]): f"(X {number})" for number in range(10)})
    path.write_bytes(data.draw(mutated_bytes(path.read_bytes())))
    try:
        said = refusal(remember)
    except OSError as error:  # SQLite thinks that only a later one of its versions may write to it
        said = f"{error.filename}: {error.strerror}"
    assert said is None or said.startswith(f"{path}: ")


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="unable to open database file") as raised:
        ParseMemory(tmp_path, "parser")
    assert raised.value.filename == str(tmp_path)


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
