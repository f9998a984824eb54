"""Settings: what is taken, what is refused, and the one line that names the key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.settings import (
    Count,
    NonNegative,
    Positive,
    Probability,
    from_excerpt,
    from_mapping,
    parse_value,
    read_yaml,
    to_mapping,
    write_yaml,
)


@dataclass(frozen=True)
class Inner:
    size: Positive


@dataclass(frozen=True)
class Outer:
    kind: Literal["outer"]
    name: str
    flag: bool
    count: Count
    rate: Probability
    weight: NonNegative
    mode: Literal["fast", "slow"]
    limit: Positive | None
    sizes: tuple[Positive, ...]
    inners: tuple[Inner, ...]
    pair: tuple[int, int]
    maybe: Inner | None

    def __post_init__(self) -> None:
        if self.name == "impossible":
            raise ValueError("name: expected another one")


@dataclass(frozen=True)
class Small:
    kind: Literal["small"]
    counts: dict[str, Inner]


VALUES: dict[str, Any] = {
    "kind": "outer",
    "name": "a",
    "flag": True,
    "count": 0,
    "rate": 0.5,
    "weight": 2,
    "mode": "fast",
    "limit": None,
    "sizes": [1, 2],
    "inners": [{"size": 4}],
    "pair": [6, 7],
    "maybe": {"size": 5},
}
OUTER = Outer("outer", "a", True, 0, 0.5, 2.0, "fast", None, (1, 2), (Inner(4),), (6, 7), Inner(5))


def test_a_mapping_becomes_the_dataclass_that_its_kind_names() -> None:
    assert from_mapping(Outer, VALUES, "file: outer") == OUTER
    assert from_mapping(Outer | Small, VALUES, "file: outer") == OUTER
    assert to_mapping(OUTER) == VALUES
    small = {"kind": "small", "counts": {"a": {"size": 1, "colour": "red"}}, "more": None}
    assert from_excerpt(Small, small, "file") == Small("small", {"a": Inner(1)})


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 1}, "x.name: expected a valid string, got 1"),
        ({"name": "impossible"}, "x: name: expected another one"),
        ({"flag": 1}, "x.flag: expected a valid boolean, got 1"),
        ({"count": True}, "x.count: expected a valid integer, got true"),
        ({"count": -1}, "x.count: expected greater than or equal to 0, got -1"),
        ({"count": 1.0}, "x.count: expected a valid integer, got 1.0"),
        ({"rate": 1}, "x.rate: expected less than 1, got 1"),
        ({"rate": "1e-3"}, "x.rate: expected a valid number, got '1e-3'"),
        ({"weight": float("nan")}, "x.weight: expected a finite number, got NaN"),
        ({"sizes": CIRCLE}, "x: expected text, numbers and lists: Circular reference"),
        ({"mode": "medium"}, "x.mode: expected 'fast' or 'slow', got 'medium'"),
        ({"sizes": [1, 0]}, "x.sizes[1]: expected greater than or equal to 1, got 0"),
        ({"inners": [{"siz": 1}]}, "x.inners[0].siz: unknown key"),
        ({"inners": [{}]}, "x.inners[0].size: missing key"),
        ({"pair": [1]}, "x.pair: missing key"),
        ({"maybe": 1}, "x.maybe: expected keys, got 1"),
        ({"nmae": "a"}, "x.nmae: unknown key"),
    ],
)
def test_what_is_refused_is_named(change: dict[str, Any], message: str) -> None:
    for kind in (Outer, Outer | Small):
        with pytest.raises(InputError, match="^" + re.escape(message)):
            from_mapping(kind, VALUES | change, "x")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": 1}, "x: missing key kind"),
        ({"kind": "large"}, "x: kind: expected one of 'outer', 'small', got 'large'"),
        ("small", "x: expected a section with keys, got 'small'"),
    ],
)
def test_a_kind_that_cannot_be_is_named(values: Any, message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(message) + "$"):
        from_mapping(Outer | Small, values, "x")


def test_yaml_is_that_of_dvc(tmp_path: Path) -> None:
    """YAML 1.2, in which `0100` is no octal number and `1:40` no sexagesimal one."""
    path = tmp_path / "p.yaml"
    path.write_text("größe: [0100, 1:40, 1e-9, -3, .5, yes, true, null]\n", encoding="utf-8")
    assert read_yaml(path) == {"größe": [100, "1:40", 1e-9, -3, 0.5, "yes", True, None]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"p\.yaml: expected a mapping of sections, found null$"),
        (b"a: 1\nb: [1\n", r"p\.yaml:3: expected YAML: "),
        (b"a: !!python/object/apply:os.getcwd []\n", r"p\.yaml:1: expected YAML: could not deter"),
        (b"a: 1\nb:2\nc: 3\n", r"p\.yaml:2: expected YAML: could not find expected ':'"),
        (b"a: 2020-13-02\n", r"p\.yaml: expected YAML: month must be in 1\.\.12$"),
        (b"a:\n  b: 1\n  c: 2\n  b: 3\n", r"p\.yaml:4: expected YAML: found duplicate key \"b\""),
    ],
)
def test_malformed_yaml_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "p.yaml").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_yaml(tmp_path / "p.yaml")


def test_yaml_is_read_as_it_was_written(tmp_path: Path) -> None:
    words = ["1e3", "08", "019", "0o17", "no", "1:30", "2026-11-28", "~", "", " a", "ä: b", "x\ny"]
    content = {"texts": {word: word for word in words}, "numbers": [1e-9, 1e20, 0.1, 3, None, True]}
    with (tmp_path / "y").open("w", encoding="utf-8") as file:
        write_yaml(content, file)
    assert read_yaml(tmp_path / "y") == content


def test_what_an_alias_repeats_is_a_value_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "y").write_text("valid: &held {lines: [1]}\ntest: *held\n")
    content = read_yaml(tmp_path / "y")
    content["valid"]["lines"].append(2)
    assert content["test"] == {"lines": [1]}


def test_no_value_of_the_command_line_is_null_but_null() -> None:
    assert parse_value("#old", "codes=#old") == "#old"
    assert parse_value("null", "codes=null") is None
    for text in ("", " "):
        with pytest.raises(InputError, match="codes=: expected a value; null is none"):
            parse_value(text, "codes=")


def test_keys_are_text_as_they_stand(tmp_path: Path) -> None:
    assert parse_value("{2016: a, 08: b, 1e2: c, no: d}", "x") == {
        **{"2016": "a", "08": "b"},
        **{"1e2": "c", "no": "d"},
    }
    (tmp_path / "y").write_text("a:\n  null: 1\n")
    with pytest.raises(InputError, match="y:2: expected YAML: expected text as a key, got null"):
        read_yaml(tmp_path / "y")
