"""Settings: what is taken, what is refused, and the one line that names the key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from annotated_types import Interval

from mgsa.base.errors import InputError
from mgsa.base.settings import (
    Count,
    NonNegative,
    Positive,
    Probability,
    from_excerpt,
    from_mapping,
    from_tagged,
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
    share: Annotated[float, Interval(ge=0, le=1)]
    mode: Literal["fast", "slow"]
    level: Literal[1, 2]
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
    "share": 1.0,
    "mode": "fast",
    "level": 2,
    "limit": None,
    "sizes": [1, 2],
    "inner": {"size": 3},
    "inners": [{"size": 4}],
    "maybe": {"size": 5},
}


def test_a_mapping_becomes_the_dataclass() -> None:
    assert from_mapping(Outer, VALUES, "file: outer") == Outer(
        name="a",
        flag=True,
        count=0,
        rate=0.5,
        weight=2.0,
        share=1.0,
        mode="fast",
        level=2,
        limit=None,
        sizes=(1, 2),
        inner=Inner(3),
        inners=(Inner(4),),
        maybe=Inner(5),
    )


def test_the_dataclass_becomes_the_mapping() -> None:
    assert to_mapping(from_mapping(Outer, VALUES, "outer")) == VALUES


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 1}, "outer.name: expected text, got 1"),
        ({"name": None}, "outer.name: expected text, got None"),
        ({"name": "impossible"}, "outer: name: expected another one"),
        ({"flag": 1}, "outer.flag: expected true or false, got 1"),
        ({"flag": "yes"}, "outer.flag: expected true or false, got 'yes'"),
        ({"count": True}, "outer.count: expected a whole number at least 0, got True"),
        ({"count": -1}, "outer.count: expected a whole number at least 0, got -1"),
        ({"count": 1.0}, "outer.count: expected a whole number at least 0, got 1.0"),
        ({"rate": 1}, "outer.rate: expected a number at least 0 and below 1, got 1"),
        (
            {"rate": "1e-3"},
            "outer.rate: expected a number at least 0 and below 1, got '1e-3', which is text to "
            "YAML without a point and a sign as in 1.0e-9",
        ),
        ({"weight": -0.1}, "outer.weight: expected a number at least 0, got -0.1"),
        ({"weight": True}, "outer.weight: expected a number at least 0, got True"),
        ({"weight": float("nan")}, "outer.weight: expected a number at least 0, got nan"),
        ({"weight": float("inf")}, "outer.weight: expected a number at least 0, got inf"),
        ({"share": 1.5}, "outer.share: expected a number from 0 to 1, got 1.5"),
        ({"mode": "medium"}, "outer.mode: expected one of fast, slow, got 'medium'"),
        ({"mode": ["fast"]}, "outer.mode: expected one of fast, slow, got ['fast']"),
        ({"level": True}, "outer.level: expected one of 1, 2, got True"),
        ({"limit": 0}, "outer.limit: expected a whole number at least 1, got 0"),
        ({"sizes": 3}, "outer.sizes: expected a list, each a whole number at least 1, got 3"),
        ({"sizes": [1, 0]}, "outer.sizes[1]: expected a whole number at least 1, got 0"),
        ({"inner": 3}, "outer.inner: expected a section with keys, got 3"),
        ({"inner": {}}, "outer.inner.size: missing; expected a whole number at least 1"),
        ({"inner": {"size": 0}}, "outer.inner.size: expected a whole number at least 1, got 0"),
        ({"inners": [{"siz": 1}]}, "outer.inners[0].siz: unknown key; expected one of size"),
        ({"maybe": 1}, "outer.maybe: expected a section with keys, got 1"),
        (
            {"count": 2**63},
            "outer.count: expected a whole number at least 0, got 9223372036854775808",
        ),
        ({"weight": 10**400}, "outer.weight: expected a number at least 0, got 1000"),
        (
            {"count": 1 << 99_999},
            "outer.count: expected a whole number at least 0, got a number of",
        ),
        ({"name": ["long"] * 9999}, "outer.name: expected text, got ['long', 'long', "),
        ({"nmae": "a"}, "outer.nmae: unknown key; expected one of name, flag, count, rate, "),
    ],
)
def test_what_is_refused_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(f"file: {message}")):
        from_mapping(Outer, {**VALUES, **change}, "file: outer")


def test_a_value_is_shown_in_part() -> None:
    with pytest.raises(InputError) as raised:
        from_mapping(Outer, {**VALUES, "name": ["long"] * 9999}, "outer")
    assert len(str(raised.value)) < 300


@dataclass(frozen=True)
class Record:
    counts: dict[str, Inner]
    most: Count


def test_an_excerpt_passes_over_what_is_not_read() -> None:
    values = {"counts": {"a": {"size": 1, "colour": "red"}, "b": {"size": 2}}, "most": 3, "x": None}
    assert from_excerpt(Record, values, "file") == Record({"a": Inner(1), "b": Inner(2)}, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": []}, "x.counts: expected a section, each value a section with keys, got []"),
        ({"counts": {"a": {}}}, "x.counts.a.size: missing; expected a whole number at least 1"),
        ({"most": "3"}, "x.most: expected a whole number at least 0, got '3'"),
    ],
)
def test_what_an_excerpt_is_of_is_checked_alike(change: dict[str, Any], message: str) -> None:
    values = {"counts": {"a": {"size": 1}}, "most": 3, "more": 4}
    with pytest.raises(InputError, match="^" + re.escape(message) + "$"):
        from_excerpt(Record, values | change, "x")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("limit", "a whole number at least 1 or null"),
        ("mode", "one of fast, slow"),
        ("inners", "a list, each a section with keys"),
        ("flag", "true or false"),
    ],
)
def test_a_missing_key_is_named_with_what_it_takes(key: str, expected: str) -> None:
    values = {name: value for name, value in VALUES.items() if name != key}
    with pytest.raises(InputError, match=f"^outer.{key}: missing; expected {expected}$"):
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
        ({"size": 1}, "x.kind: missing; expected one of small, named"),
        ({"kind": "big"}, "x.kind: expected one of small, named, got 'big'"),
        ({"kind": ["small"]}, "x.kind: expected one of small, named, got ['small']"),
        ({"kind": "small", "name": "a"}, "x.name: unknown key; expected one of kind, size"),
        ("small", "x: expected a section with keys, got 'small'"),
    ],
)
def test_a_kind_that_cannot_be_is_named(values: Any, message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(message) + "$"):
        from_tagged(KINDS, values, "x")
