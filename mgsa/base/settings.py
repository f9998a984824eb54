"""Settings: sections of a YAML file, checked by pydantic, as frozen dataclasses.

A dataclass holds the type and range of each key and no default: the value lives in the parameter
file. An unknown key, a missing key, a wrong type or an impossible value is one line naming the key.
pydantic and PyYAML are imported where they are used, so that `--help` does not wait for them.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from annotated_types import Interval, Len, Predicate

from mgsa.base.errors import InputError
from mgsa.base.io import read_text

T = TypeVar("T")

Count = Annotated[int, Interval(ge=0)]
"""A whole number of things: zero or more."""
Positive = Annotated[int, Interval(ge=1)]
"""A whole number of things: one or more."""
Probability = Annotated[float, Interval(ge=0, lt=1)]
"""A rate that may be zero and is less than one: a dropout, a smoothing weight."""
Share = Annotated[float, Interval(ge=0, le=1)]
"""A part of a whole: none, all, or anything between."""
NonNegative = Annotated[float, Interval(ge=0)]
"""A real number that may be zero."""
MAX_SEED = (1 << 32) - 1
"""numpy's older generator takes no larger one."""
Seed = Annotated[int, Interval(ge=0, le=MAX_SEED)]
Resamples = Annotated[int, Interval(ge=2)]
"""Resamples of a corpus: an interval takes two."""
Language = Annotated[str, Len(2, 3), Predicate(str.islower)]
"""The code of a language, of two or three letters."""

Accelerator = Literal["cpu", "gpu", "auto"]
LONGEST_SHOWN = 200
"""Characters of a value that an error shows."""
_UNKNOWN = "unexpected_keyword_argument"
"""What pydantic calls a key that a dataclass lacks."""


@dataclass(frozen=True)
class RunConfig:
    """How many processes and which devices do the work: no stage's output depends on them.

    `workers` are processes of text stages and parsers; `executor` says whether the parsers run on
    this machine or on the Ray cluster at `ray_address` (`null`: one of our own). `accelerator`,
    `devices` and `nodes` are those of training.
    """

    workers: Positive
    executor: Literal["processes", "ray"]
    ray_address: str | None
    parse_gpu: bool
    accelerator: Accelerator
    devices: Positive
    nodes: Positive

    def __post_init__(self) -> None:
        if self.ray_address is not None and self.executor != "ray":
            message = f"expected null, as the executor is {self.executor}; or executor: ray"
            raise ValueError(f"ray_address: {message}")
        # Not ray://HOST:PORT: Ray's client leaves every other connection without an answer.
        if not re.fullmatch(r"auto|[^/\s]+:\d{1,5}", self.ray_address or "auto"):
            raise ValueError(
                "ray_address: expected auto or HOST:PORT, on a machine of the cluster, "
                f"got {self.ray_address!r}"
            )


def from_mapping(cls: type[T], values: Any, where: str) -> T:
    """Build the dataclass `cls` from a mapping, strictly; errors name `where`.

    Raises:
        InputError: an unknown or missing key, a wrong type, a value out of range, or a
            `ValueError` of the dataclass's own `__post_init__` (checks across fields).
    """
    return _validated(cls, values, where, extra="forbid")


def from_excerpt(cls: type[T], values: Any, where: str) -> T:
    """As `from_mapping`, of what holds more than is read: keys that have no field are ignored."""
    return _validated(cls, values, where, extra="ignore")


def from_tagged(classes: Mapping[str, type[T]], values: Any, where: str) -> T:
    """Build the one of `classes` that the key `kind` of the mapping names, strictly.

    Raises:
        InputError: `kind` is missing or names none of them, or as `from_mapping`.
    """
    if not isinstance(values, Mapping):
        raise InputError(f"{where}: expected a section with keys, got {_shown(values)}")
    kind = values.get("kind")
    if kind not in [*classes]:
        expected = ", ".join(classes)
        raise InputError(f"{where}.kind: expected one of {expected}, got {_shown(kind)}")
    return from_mapping(classes[kind], values, where)


def to_mapping(settings: Any) -> dict[str, Any]:
    """The inverse of `from_mapping`: plain dicts, lists and scalars."""
    return json.loads(json.dumps(dataclasses.asdict(settings)))


def check_each_once(name: str, values: Sequence[object]) -> None:
    """Raise a `ValueError` for the setting `name` if it is empty or has a value twice."""
    if len(set(values)) != len(values) or not values:
        raise ValueError(f"{name}: expected at least one, each once")


def _validated(cls: type[T], values: Any, where: str, *, extra: Literal["forbid", "ignore"]) -> T:
    from pydantic import TypeAdapter, ValidationError

    if not isinstance(values, Mapping):
        raise InputError(f"{where}: expected a section with keys, got {_shown(values)}")
    try:
        # As JSON, of which even strict types take a list for a tuple.
        text = json.dumps(values, allow_nan=False)
        return TypeAdapter(cls).validate_json(text, strict=True, extra=extra)
    except ValidationError as failed:
        # A mistyped key is unknown, and the right one missing: the first says more.
        error, *_ = sorted(failed.errors(), key=lambda e: e["type"] != _UNKNOWN)
    except (TypeError, ValueError) as failure:  # a date, an infinite number
        raise InputError(f"{where}: expected text, numbers and lists: {failure}") from None
    *outer, key = ("", *error["loc"])
    path = where + "".join(f"[{o}]" if isinstance(o, int) else f".{o}" for o in (*outer[1:], key))
    match error["type"]:
        case "missing":
            raise InputError(f"{path}: missing key")
        case _ if error["type"] == _UNKNOWN:
            names = ", ".join(field.name for field in dataclasses.fields(cls))  # type: ignore[arg-type]
            expected = f"; expected one of {names}" if len(outer) == 1 else ""
            raise InputError(f"{path}: unknown key{expected}")
        case "value_error":
            raise InputError(f"{path.removesuffix('.')}: {error['ctx']['error']}")
    message = error["msg"].replace("Input should be ", "expected ")
    raise InputError(f"{path}: {message}, got {_shown(error['input'])}")


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}…"


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file that holds a mapping of sections.

    Raises:
        InputError: the file is missing, not UTF-8, not YAML, or not a mapping; or it has a key
            twice in one section.
    """
    content = _parse_yaml(read_text(path), path)
    if not isinstance(content, dict):
        raise InputError(f"expected a mapping of sections, found {_shown(content)}", path=path)
    return content


def apply_overrides(values: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """A copy of `values` with each `key=value` (or `outer.inner=value`) override put in.

    The value is read as YAML, so `null`, `[1, 2]` and `true` mean what they mean in the file.

    Raises:
        InputError: an override is no such thing.
    """
    changed = dict(values)
    for override in overrides:
        key, separator, text = override.partition("=")
        if not separator or not key:
            raise InputError(f"--set {override}: expected key=value")
        try:
            value = _parse_yaml(text, None)
        except InputError:
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


def _parse_yaml(text: str, path: Path | None) -> Any:
    """YAML with the numbers of 1.2, as DVC has them: 1.1 takes `0100` for 64, `1e-9` for text."""
    import yaml

    whole, real = "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = {  # noqa: RUF012
            first: [(tag, regex) for tag, regex in resolvers if tag not in (whole, real)]
            for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            keys = [key.value for key, _ in node.value]
            for number, (key, _) in enumerate(node.value):
                if key.value in keys[:number]:
                    problem = f"expected each key once, found {key.value!r} again"
                    raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            return super().construct_mapping(node, deep)

    digits = list("-+0123456789.")
    number = r"([-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?\.(inf|nan))$"
    Loader.add_implicit_resolver(whole, re.compile("[-+]?[0-9]+$"), digits)
    Loader.add_implicit_resolver(real, re.compile(number, re.IGNORECASE), digits)
    Loader.add_constructor(whole, lambda _, node: int(node.value))
    try:
        return yaml.load(text, Loader)  # a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "malformed"
        line = mark.line + 1 if mark else None
        raise InputError(f"expected YAML: {problem}", path=path, line=line) from None
    except (ValueError, RecursionError) as error:  # a date in the thirteenth month
        raise InputError(f"expected YAML: {error}", path=path) from None
