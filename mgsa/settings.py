"""Strict reading of settings: mappings, as YAML and JSON give them, into frozen dataclasses.

A dataclass holds the type and range of each key and no default: the value lives in the parameter
file. An unknown key, a missing key, a wrong type or an impossible value is one line naming the key.
"""

from __future__ import annotations

import dataclasses
import math
import re
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from mgsa.errors import InputError

T = TypeVar("T")

MOST = 2**63 - 1
"""The largest whole number that is one to every library."""
LONGEST_SHOWN = 200
"""Characters of a value that an error shows."""

_EXPONENT = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+")


@dataclass(frozen=True)
class Range:
    """Closed bounds of a number; `None` is unbounded. `below` is an open upper bound."""

    minimum: float | None = None
    maximum: float | None = None
    below: float | None = None

    def __contains__(self, value: float) -> bool:
        # A whole number may be too large to be compared as anything else.
        return (isinstance(value, int) or math.isfinite(value)) and (
            (self.minimum is None or value >= self.minimum)
            and (self.maximum is None or value <= self.maximum)
            and (self.below is None or value < self.below)
        )

    def __str__(self) -> str:
        if self.minimum is not None and self.maximum is not None:
            return f"from {self.minimum} to {self.maximum}"
        parts = []
        if self.minimum is not None:
            parts.append(f"at least {self.minimum}")
        if self.maximum is not None:
            parts.append(f"at most {self.maximum}")
        if self.below is not None:
            parts.append(f"below {self.below}")
        return " and ".join(parts)


@dataclass(frozen=True)
class Pattern:
    """What text looks like, as a regular expression and in words."""

    regex: str
    words: str

    def __contains__(self, value: str) -> bool:
        return re.fullmatch(self.regex, value) is not None

    def __str__(self) -> str:
        return self.words


Count = Annotated[int, Range(minimum=0)]
"""A whole number of things: zero or more."""
Positive = Annotated[int, Range(minimum=1)]
"""A whole number of things: one or more."""
Probability = Annotated[float, Range(minimum=0, below=1)]
"""A rate that may be zero and is less than one: a dropout, a smoothing weight."""
Share = Annotated[float, Range(minimum=0, maximum=1)]
"""A part of a whole: none, all, or anything between."""
NonNegative = Annotated[float, Range(minimum=0)]
"""A real number that may be zero."""
Finite = Annotated[float, Range()]
"""A real number."""

# Counts of a kind are bounded where nothing else bounds them: beyond what anybody wants, and within
# what libraries take. Memory may run out before that, which is one line too.
MAX_SEED = (1 << 32) - 1
"""What every library takes as a seed: numpy's older generator takes no larger one."""
Seed = Annotated[int, Range(minimum=0, maximum=MAX_SEED)]
Workers = Annotated[int, Range(minimum=1, maximum=1_024)]
"""Processes of one kind, on one machine or on many."""
Layers = Annotated[int, Range(minimum=1, maximum=1_000)]
Width = Annotated[int, Range(minimum=1, maximum=1 << 16)]
"""Of a layer, of any kind: what a folder from elsewhere asks for is built only within bounds."""
NgramSize = Annotated[int, Range(minimum=1, maximum=100)]
"""Words of an n-gram: as many as a long sentence has."""
LearningRate = Annotated[float, Range(minimum=0, maximum=1_000)]
"""Of those whose losses nobody looks at: a step of Adam's is about as long in each weight."""
MAX_SAMPLES = 1_000_000
"""Resamples of a corpus, or trials of a test: a thousand times as many as are usual."""
Resamples = Annotated[int, Range(minimum=2, maximum=MAX_SAMPLES)]
"""As many as an interval takes."""
Language = Annotated[str, Pattern("[a-z]{2,3}", "of two or three letters, the code of a language")]


def from_mapping(cls: type[T], values: Any, where: str) -> T:
    """Build the dataclass `cls` from a mapping, strictly.

    Args:
        cls: a dataclass whose field types are those that `_convert` knows.
        values: the mapping, as YAML or JSON gave it.
        where: what errors name, such as `params.yaml: parse`.

    Raises:
        InputError: an unknown or missing key, a wrong type, a value out of range, or a
            `ValueError` of the dataclass's own `__post_init__` (checks across fields).
    """
    return _build(cls, values, where, strict=True)


def from_excerpt(cls: type[T], values: Any, where: str) -> T:
    """As `from_mapping`, of what holds more than is read: keys that have no field are passed over.

    Raises:
        InputError: as `from_mapping`, but for unknown keys.
    """
    return _build(cls, values, where, strict=False)


def _build(cls: type[T], values: Any, where: str, *, strict: bool) -> T:
    assert dataclasses.is_dataclass(cls)
    if not isinstance(values, Mapping):
        raise InputError(f"{where}: expected a section with keys, got {_shown(values)}")
    hints = get_type_hints(cls, include_extras=True)
    names = [field.name for field in dataclasses.fields(cls)]
    for key in values:
        if strict and key not in names:
            raise InputError(f"{where}.{key}: unknown key; expected one of {', '.join(names)}")
    for name in names:
        if name not in values:
            raise InputError(f"{where}.{name}: missing; expected {_describe(hints[name])}")
    fields = {
        name: _convert(hints[name], values[name], f"{where}.{name}", strict) for name in names
    }
    try:
        return cls(**fields)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def from_tagged(classes: Mapping[str, type[T]], values: Any, where: str) -> T:
    """Build the one of `classes` that the key `kind` of the mapping names, strictly.

    Raises:
        InputError: `kind` is missing or names none of them, or as `from_mapping`.
    """
    if not isinstance(values, Mapping):
        raise InputError(f"{where}: expected a section with keys, got {_shown(values)}")
    expected = "expected one of " + ", ".join(classes)
    if "kind" not in values:
        raise InputError(f"{where}.kind: missing; {expected}")
    kind = values["kind"]
    if not isinstance(kind, str) or kind not in classes:
        raise InputError(f"{where}.kind: {expected}, got {_shown(kind)}")
    return from_mapping(classes[kind], values, where)


def to_mapping(settings: Any) -> dict[str, Any]:
    """The inverse of `from_mapping`: plain dicts, lists and scalars."""
    return {
        field.name: _plain(getattr(settings, field.name)) for field in dataclasses.fields(settings)
    }


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return to_mapping(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _convert(hint: Any, value: Any, where: str, strict: bool) -> Any:
    """`value` as the type `hint` says, or an `InputError` that names the key and what it takes."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        try:
            converted = _convert(arguments[0], value, where, strict)
        except InputError:
            raise _wrong(hint, value, where) from None  # says the bounds too
        if any(converted not in bound for bound in arguments[1:]):
            raise _wrong(hint, value, where)
        return converted
    if origin in (Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        (inner,) = [argument for argument in arguments if argument is not type(None)]
        return _convert(inner, value, where, strict)
    if origin is Literal:
        if value not in arguments or isinstance(value, bool):
            raise _wrong(hint, value, where)
        return value
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise _wrong(hint, value, where)
        return tuple(
            _convert(arguments[0], item, f"{where}[{i}]", strict) for i, item in enumerate(value)
        )
    if origin is dict:
        if not isinstance(value, Mapping):
            raise _wrong(hint, value, where)
        return {
            key: _convert(arguments[1], item, f"{where}.{key}", strict)
            for key, item in value.items()
        }
    if dataclasses.is_dataclass(hint):
        assert isinstance(hint, type)
        return _build(hint, value, where, strict=strict)
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if is_whole and not -MOST <= value <= MOST:
        raise _wrong(hint, value, where)
    if hint is float and is_whole:
        return float(value)
    if not isinstance(value, hint) or (hint is int and not is_whole):
        raise _wrong(hint, value, where)
    return value


def _wrong(hint: Any, value: Any, where: str) -> InputError:
    expected = _describe(hint)
    note = ""
    if isinstance(value, str) and "a number" in expected and _EXPONENT.fullmatch(value):
        note = ", which is text to YAML without a point and a sign as in 1.0e-9"
    return InputError(f"{where}: expected {expected}, got {_shown(value)}{note}")


def _shown(value: Any) -> str:
    """A value as Python has it, cut short: it may be a whole file's."""
    try:
        shown = repr(value)
    except ValueError:  # Python writes no number of thousands of digits
        return "a number of thousands of digits"
    return shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}…"


def _describe(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        bounds = " ".join(str(bound) for bound in arguments[1:])
        return f"{_describe(arguments[0])} {bounds}"
    if origin in (Union, types.UnionType):
        return " or ".join("null" if a is type(None) else _describe(a) for a in arguments)
    if origin is Literal:
        return "one of " + ", ".join(str(argument) for argument in arguments)
    if origin is tuple:
        return f"a list, each {_describe(arguments[0])}"
    if origin is dict:
        return f"a section, each value {_describe(arguments[1])}"
    if dataclasses.is_dataclass(hint):
        return "a section with keys"
    names = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    return names[hint]
