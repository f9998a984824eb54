"""Strict reading of settings: YAML sections into frozen dataclasses.

A dataclass holds the type and range of each key and no default: the value lives in the parameter
file. An unknown key, a missing key, a wrong type or an impossible value is one line naming the key.
"""

from __future__ import annotations

import dataclasses
import math
import re
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from mgsa.errors import InputError
from mgsa.files import NO_FILE, no_file, not_utf_8

T = TypeVar("T")

_EXPONENT = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+")


@dataclass(frozen=True)
class Range:
    """Closed bounds of a number; `None` is unbounded. `below` is an open upper bound."""

    minimum: float | None = None
    maximum: float | None = None
    below: float | None = None

    def __contains__(self, value: float) -> bool:
        return math.isfinite(value) and (
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


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file that holds a mapping of sections.

    Raises:
        InputError: the file is missing, not UTF-8, not YAML, or not a mapping.
    """
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except NO_FILE:
        raise no_file(path) from None
    except UnicodeDecodeError as error:
        raise not_utf_8(error, path=path) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "malformed"
        raise InputError(
            f"expected YAML: {problem}", path=path, line=mark.line + 1 if mark else None
        ) from None
    if not isinstance(content, dict):
        found = "nothing" if content is None else type(content).__name__
        raise InputError(f"expected a mapping of sections, found {found}", path=path)
    return content


def apply_overrides(values: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """A copy of `values` with each `key=value` (or `outer.inner=value`) override put in.

    The value is read as YAML, so `null`, `[1, 2]` and `true` mean what they mean in the file.
    """
    import yaml

    changed = dict(values)
    for override in overrides:
        key, separator, text = override.partition("=")
        if not separator or not key:
            raise InputError(f"--set {override}: expected key=value")
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError:
            raise InputError(f"--set {override}: the value is not YAML") from None
        *parents, last = key.split(".")
        section = changed
        for parent in parents:
            inner = section.get(parent)
            if not isinstance(inner, dict):
                raise InputError(f"--set {override}: {parent} is not a section")
            section[parent] = dict(inner)
            section = section[parent]
        section[last] = value
    return changed


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
    assert dataclasses.is_dataclass(cls)
    if not isinstance(values, Mapping):
        raise InputError(f"{where}: expected a section with keys, got {values!r}")
    hints = get_type_hints(cls, include_extras=True)
    names = [field.name for field in dataclasses.fields(cls)]
    for key in values:
        if key not in names:
            raise InputError(f"{where}.{key}: unknown key; expected one of {', '.join(names)}")
    for name in names:
        if name not in values:
            raise InputError(f"{where}.{name}: missing; expected {_describe(hints[name])}")
    fields = {name: _convert(hints[name], values[name], f"{where}.{name}") for name in names}
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
        raise InputError(f"{where}: expected a section with keys, got {values!r}")
    expected = "expected one of " + ", ".join(classes)
    if "kind" not in values:
        raise InputError(f"{where}.kind: missing; {expected}")
    kind = values["kind"]
    if not isinstance(kind, str) or kind not in classes:
        raise InputError(f"{where}.kind: {expected}, got {kind!r}")
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


def _convert(hint: Any, value: Any, where: str) -> Any:
    """`value` as the type `hint` says, or an `InputError` that names the key and what it takes."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        try:
            converted = _convert(arguments[0], value, where)
        except InputError:
            raise _wrong(hint, value, where) from None  # says the bounds too
        if any(isinstance(bound, Range) and converted not in bound for bound in arguments[1:]):
            raise _wrong(hint, value, where)
        return converted
    if origin in (Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        (inner,) = [argument for argument in arguments if argument is not type(None)]
        return _convert(inner, value, where)
    if origin is Literal:
        if value not in arguments or isinstance(value, bool):
            raise _wrong(hint, value, where)
        return value
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise _wrong(hint, value, where)
        return tuple(_convert(arguments[0], item, f"{where}[{i}]") for i, item in enumerate(value))
    if dataclasses.is_dataclass(hint):
        assert isinstance(hint, type)
        return from_mapping(hint, value, where)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise _wrong(hint, value, where)
    return value


def _wrong(hint: Any, value: Any, where: str) -> InputError:
    expected = _describe(hint)
    note = ""
    if isinstance(value, str) and "a number" in expected and _EXPONENT.fullmatch(value):
        note = ", which is text to YAML without a point and a sign as in 1.0e-9"
    return InputError(f"{where}: expected {expected}, got {value!r}{note}")


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
    if dataclasses.is_dataclass(hint):
        return "a section with keys"
    names = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    return names[hint]
