"""Settings: what is taken, what is refused, and the one line that names the key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from mgsa.base.errors import InputError
from mgsa.base.settings import (
    Count,
    NonNegative,
    Positive,
    Probability,
    apply_overrides,
    from_excerpt,
    from_mapping,
    from_tagged,
    read_yaml,
    to_mapping,
)


@dataclass(frozen=True)
class Inner:
    size: Positive


@dataclass(frozen=True)
class Outer:
    name: str
    flag: bool
    count: Count
    rate: Probability
    weight: NonNegative
    mode: Literal["fast", "slow"]
    limit: Positive | None
    sizes: tuple[Positive, ...]
    inner: Inner
    inners: tuple[Inner, ...]
    maybe: Inner | None

    def __post_init__(self) -> None:
        if self.name == "impossible":
            raise ValueError("name: expected another one")


VALUES: dict[str, Any] = {
    "name": "a",
    "flag": True,
    "count": 0,
    "rate": 0.5,
    "weight": 2,
    "mode": "fast",
    "limit": None,
    "sizes": [1, 2],
    "inner": {"size": 3},
    "inners": [{"size": 4}],
    "maybe": {"size": 5},
}


def test_a_mapping_becomes_the_dataclass() -> None:
    outer = Outer(
        name="a",
        flag=True,
        count=0,
        rate=0.5,
        weight=2.0,
        mode="fast",
        limit=None,
        sizes=(1, 2),
        inner=Inner(3),
        inners=(Inner(4),),
        maybe=Inner(5),
    )
    assert from_mapping(Outer, VALUES, "file: outer") == outer
    assert to_mapping(outer) == VALUES


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 1}, "outer.name: expected a valid string, got 1"),
        ({"name": "impossible"}, "outer: name: expected another one"),
        ({"flag": 1}, "outer.flag: expected a valid boolean, got 1"),
        ({"count": True}, "outer.count: expected a valid integer, got True"),
        ({"count": -1}, "outer.count: expected greater than or equal to 0, got -1"),
        ({"count": 1.0}, "outer.count: expected a valid integer, got 1.0"),
        ({"rate": 1}, "outer.rate: expected less than 1, got 1"),
        ({"rate": "1e-3"}, "outer.rate: expected a valid number, got '1e-3'"),
        ({"weight": float("nan")}, "outer: expected text, numbers and lists: Out of range float"),
        ({"mode": "medium"}, "outer.mode: expected 'fast' or 'slow', got 'medium'"),
        ({"sizes": [1, 0]}, "outer.sizes[1]: expected greater than or equal to 1, got 0"),
        ({"sizes": 1}, "outer.sizes: expected a valid array, got 1"),
        ({"inners": [{"siz": 1}]}, "outer.inners[0].siz: unknown key"),
        ({"maybe": 1}, "outer.maybe: expected an object, got 1"),
        ({"nmae": "a"}, "outer.nmae: unknown key; expected one of name, flag, count, rate, "),
    ],
)
def test_what_is_refused_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(f"file: {message}")):
        from_mapping(Outer, {**VALUES, **change}, "file: outer")


@dataclass(frozen=True)
class Record:
    counts: dict[str, Inner]
    most: Count


def test_an_excerpt_passes_over_what_is_not_read() -> None:
    values = {"counts": {"a": {"size": 1, "colour": "red"}, "b": {"size": 2}}, "most": 3, "x": None}
    assert from_excerpt(Record, values, "file") == Record({"a": Inner(1), "b": Inner(2)}, 3)

    with pytest.raises(InputError, match=r"^file\.counts\.a\.size: missing key$"):
        from_excerpt(Record, values | {"counts": {"a": {}}}, "file")


def test_a_missing_key_is_named() -> None:
    values = {name: value for name, value in VALUES.items() if name != "limit"}
    with pytest.raises(InputError, match=r"^outer\.limit: missing key$"):
        from_mapping(Outer, values, "outer")


@dataclass(frozen=True)
class Small:
    kind: Literal["small"]
    size: Positive


@dataclass(frozen=True)
class Named:
    kind: Literal["named"]
    name: str


KINDS: dict[str, type[Small | Named]] = {"small": Small, "named": Named}


def test_the_kind_chooses_the_dataclass() -> None:
    assert from_tagged(KINDS, {"kind": "small", "size": 1}, "x") == Small("small", 1)
    assert from_tagged(KINDS, {"kind": "named", "name": "a"}, "x") == Named("named", "a")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": 1}, "x.kind: expected one of small, named, got None"),
        ({"kind": ["small"]}, "x.kind: expected one of small, named, got ['small']"),
        ({"kind": "small", "name": "a"}, "x.name: unknown key; expected one of kind, size"),
        ("small", "x: expected a section with keys, got 'small'"),
    ],
)
def test_a_kind_that_cannot_be_is_named(values: Any, message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(message) + "$"):
        from_tagged(KINDS, values, "x")


@pytest.mark.parametrize(
    ("overrides", "changed"),
    [
        ([], {"a": 1, "b": {"c": 2}}),
        (["a=2"], {"a": 2, "b": {"c": 2}}),
        (["b.c=null"], {"a": 1, "b": {"c": None}}),
        (["b.d=[1, x]"], {"a": 1, "b": {"c": 2, "d": [1, "x"]}}),
        (["a=x=y"], {"a": "x=y", "b": {"c": 2}}),
    ],
)
def test_overrides_are_put_in(overrides: list[str], changed: dict[str, Any]) -> None:
    values = {"a": 1, "b": {"c": 2}}
    assert apply_overrides(values, overrides) == changed
    assert values == {"a": 1, "b": {"c": 2}}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("a", "--set a: expected key=value"),
        ("a=[1", "--set a=[1: the value is not YAML"),
        ("a.b=1", "--set a.b=1: a is not a section"),
    ],
)
def test_malformed_overrides_are_named(override: str, message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(message) + "$"):
        apply_overrides({"a": 1}, [override])


def test_numbers_are_those_of_dvc(tmp_path: Path) -> None:
    """DVC reads YAML 1.2, in which `0100` is no octal number and `1:40` no sexagesimal one."""
    path = tmp_path / "p.yaml"
    path.write_text("größe: [0100, 1:40, 1e-9, -3, .5, 0x10, yes, null]\n", encoding="utf-8")
    assert read_yaml(path) == {"größe": [100, "1:40", 1e-9, -3, 0.5, "0x10", True, None]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"p\.yaml: expected a mapping of sections, found None$"),
        (b"a: 1\nb: [1\n", r"p\.yaml:3: expected YAML: "),
        (b"a: !!python/object/apply:os.getcwd []\n", r"p\.yaml:1: expected YAML: could not deter"),
        (b"a: 2020-13-02\n", r"p\.yaml: expected YAML: month must be in 1\.\.12$"),
        (b"a:\n  b: 1\n  c: 2\n  b: 3\n", r"p\.yaml:4: expected YAML: expected each key once, "),
    ],
)
def test_malformed_yaml_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "p.yaml").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_yaml(tmp_path / "p.yaml")
