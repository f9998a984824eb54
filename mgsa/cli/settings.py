"""Settings: sections of a YAML file, checked by pydantic, as frozen dataclasses.

A dataclass holds the type and range of each key; its value lives in the parameter file, never in a
default. pydantic and ruamel.yaml are imported where they are used, for a quick `--help`.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import UnionType
from typing import (
    IO,
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeVar,
    get_args,
    get_type_hints,
    overload,
)

from annotated_types import Interval

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_text
from mgsa.cli.languages import LanguageCode

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

Count = Annotated[int, Interval(ge=0)]
Positive = Annotated[int, Interval(ge=1)]
Probability = Annotated[float, Interval(ge=0, lt=1)]
Share = Annotated[float, Interval(ge=0, le=1)]
NonNegative = Annotated[float, Interval(ge=0)]
MAX_SEED = (1 << 32) - 1
"""The limit of numpy's legacy generator."""
Seed = Annotated[int, Interval(ge=0, le=MAX_SEED)]
Resamples = Annotated[int, Interval(ge=2)]
"""Bootstrap resamples of a corpus; an interval needs two."""
Language = Annotated[str, LanguageCode()]


class Reads:
    """Marks a setting as the path of an input, for the guard."""


InputPath = Annotated[str, Reads()]


@overload
def from_mapping(kind: type[T], values: Any, where: str) -> T: ...
@overload
def from_mapping(kind: UnionType, values: Any, where: str) -> Any: ...
def from_mapping(kind: Any, values: Any, where: str) -> Any:
    """Build a dataclass from a mapping, strictly.

    Args:
        kind: the dataclass, or a union of several by their key `kind`, or a list or dict type.
        where: how errors begin.

    Raises:
        InputError: an unknown or missing key, a wrong type, a value out of range, or a `ValueError`
            of the dataclass's `__post_init__` (checks across fields).
    """
    return _validated(kind, values, where, extra="forbid")


def from_excerpt(cls: type[T], values: Any, where: str) -> T:
    """`from_mapping` that ignores unknown keys."""
    settings: T = _validated(cls, values, where, extra="ignore")
    return settings


def to_mapping(settings: Any) -> dict[str, Any]:
    """The inverse of `from_mapping`: plain dicts, lists and scalars."""
    mapping: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(settings)))
    return mapping


def paths_read(settings: Any, key: str, *, marked: bool = False) -> Iterator[tuple[str, Path]]:
    """Dotted key and path of the fields marked `Reads`, also in sequences and mappings."""
    if dataclasses.is_dataclass(settings):
        hints = get_type_hints(type(settings), include_extras=True)
        for field in dataclasses.fields(settings):
            value, is_marked = getattr(settings, field.name), _is_marked(hints[field.name])
            yield from paths_read(value, f"{key}.{field.name}", marked=is_marked)
    elif isinstance(settings, (tuple, dict)):
        for value in settings.values() if isinstance(settings, dict) else settings:
            yield from paths_read(value, key, marked=marked)
    elif isinstance(settings, str) and marked:
        yield key, Path(settings)


def _is_marked(hint: Any) -> bool:
    return isinstance(hint, Reads) or any(map(_is_marked, get_args(hint)))


def check_each_once(name: str, values: Sequence[object]) -> None:
    """Raise a `ValueError` for the setting `name` if it is empty or repeats a value."""
    if len(set(values)) != len(values) or not values:
        raise ValueError(f"{name}: expected at least one, each once")


def shown(value: Any) -> str:
    """A value as messages show it: as YAML has it, but text in quotes."""
    is_text = isinstance(value, str)
    return repr(value) if is_text else json.dumps(value, ensure_ascii=False, default=str)


def _check_plain(value: Any, where: str) -> None:
    """Raise an `InputError` for what JSON lacks, such as a date or an infinite number."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _check_plain(key, where)
            _check_plain(inner, f"{where}.{key}")
    elif isinstance(value, (list, tuple)):
        for number, inner in enumerate(value):
            _check_plain(inner, f"{where}[{number}]")
    elif not isinstance(value, (str, int, float, type(None))) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        expected = "a finite number" if isinstance(value, float) else "text or a number"
        raise InputError(f"{where}: expected {expected}, got {shown(value)}")


def _validated(kind: Any, values: Any, where: str, *, extra: Literal["forbid", "ignore"]) -> Any:
    from pydantic import ValidationError

    is_union = isinstance(kind, UnionType)
    if (is_union or dataclasses.is_dataclass(kind)) and not isinstance(values, Mapping):
        raise InputError(f"{where}: expected a section with keys, got {shown(values)}")
    try:
        # Through JSON, since strict types take a JSON list for a tuple.
        text = json.dumps(values, allow_nan=False)
        return _adapter(kind).validate_json(text, strict=True, extra=extra)
    except ValidationError as failed:
        # A mistyped key is unknown and the right one missing: the former is reported.
        errors = failed.errors()
        error = max(errors, key=lambda e: e["type"] == "unexpected_keyword_argument")
    except (TypeError, ValueError) as failure:  # a date, an infinite number, a circle
        with suppress(RecursionError):
            _check_plain(values, where)
        raise InputError(f"{where}: expected text, numbers and lists: {failure}") from None
    at = values
    for key in error["loc"][is_union:]:  # a union's errors begin with the kind
        if isinstance(key, int) and isinstance(at, list) and key < len(at):
            where, at = f"{where}[{key}]", at[key]
        elif isinstance(at, Mapping):  # not a type, of which there are several
            where, at = f"{where}.{key}", at.get(key)
    match error["type"]:
        case "missing":
            problem = "missing key"
        case "unexpected_keyword_argument":
            problem = _unknown_key(kind, errors, error)
        case "value_error":
            problem = str(error["ctx"]["error"])
        case "union_tag_not_found":
            problem = "missing key kind"
        case "union_tag_invalid":
            problem = "kind: expected one of {expected_tags}, got '{tag}'".format(**error["ctx"])
        case _:
            expected = error["msg"].replace("Input should be ", "expected ")
            expected = expected.replace("a valid array", "a list").replace("an object", "keys")
            problem = f"{expected}, got {shown(error['input'])}"
    raise InputError(f"{where}: {problem}")


def _unknown_key(kind: Any, errors: Sequence[Any], error: Any) -> str:
    """A hint at an unknown key: the near one that is missing or, at the top, known."""
    *place, key = error["loc"]
    names = [str(e["loc"][-1]) for e in errors if e["loc"][:-1] == tuple(place)]
    if len(place) == isinstance(kind, UnionType):
        kinds = get_args(kind) or (kind,)
        names += [field.name for one in kinds for field in dataclasses.fields(one)]
    near = get_close_matches(str(key), [name for name in names if name != key], n=1)
    return f"unknown key ({near[0]}?)" if near else "unknown key"


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Kept, as files have thousands of mappings of a kind."""
    from pydantic import Discriminator, TypeAdapter

    if isinstance(kind, UnionType):
        kind = Annotated[kind, Discriminator("kind")]
    return TypeAdapter(kind)


def sections_of(path: Path, names: Sequence[str]) -> dict[str, Any]:
    """The sections of a parameter file, of which a command needs these.

    An `InputError` is raised if all are missing from a file that was asked for, or one is and
    another has nearly its name.
    """
    content = read_yaml(path)
    missing = [name for name in names if name not in content]
    if path != Path("params.yaml"):  # found there, it may be any project's
        for name in missing:
            if near := get_close_matches(name, content, n=1, cutoff=0.8):
                raise InputError(f"{near[0]}: unknown section ({name}?)", path=path)
        if missing == [*names]:
            raise InputError(f"expected the sections {', '.join(names)}", path=path)
    return content


def read_yaml(path: Path) -> dict[str, Any]:
    """The sections of a YAML file; an `InputError` if it is missing or no mapping in YAML."""
    content = parse_yaml(read_text(path), path)
    if not isinstance(content, dict):
        raise InputError(f"expected a mapping of sections, found {shown(content)}", path=path)
    return content


def parse_value(text: str, where: str) -> Any:
    """A value of the command line: YAML, but what has no quotes or braces may be any text."""
    if not text.strip():
        raise InputError(f"{where}: expected a value; null is none")
    value = parse_yaml(text, where)
    is_plain = isinstance(value, (str, dict)) and text[:1] not in ("'", '"', "{")
    is_plain |= text.lstrip().startswith("#")  # which YAML takes for a comment
    return text if is_plain else value


def parse_yaml(text: str, path: str | Path) -> Any:
    """Parse YAML 1.2, as DVC does: `1e-9` is a number, a repeated key an error.

    Keys are text as they stand, of years too; `null` is none. Values that aliases repeat are
    copied.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    loader = YAML(typ="safe", pure=True)
    loader.Constructor = _text_keys()
    try:
        return _apart(loader.load(text))
    except (YAMLError, ValueError, RecursionError) as error:
        is_key = getattr(error, "context", None) == "while scanning a simple key"
        mark = getattr(error, "context_mark" if is_key else "problem_mark", None)
        problem = getattr(error, "problem", error)
        line = mark.line + 1 if mark and isinstance(path, Path) else None
        raise InputError(f"expected YAML: {problem}", path=path, line=line) from None


def _apart(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _apart(part) for key, part in value.items()}
    return [*map(_apart, value)] if isinstance(value, list) else value


@cache
def _text_keys() -> type:
    from ruamel.yaml.constructor import ConstructorError, SafeConstructor

    class TextKeys(SafeConstructor):
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            for key, _ in node.value:
                if key.tag.endswith(":null"):
                    problem = f"expected text as a key, got {key.value}"
                    raise ConstructorError(problem=problem, problem_mark=key.start_mark)
                if key.id == "scalar" and not key.tag.endswith(":merge"):
                    key.tag = "tag:yaml.org,2002:str"
            return super().construct_mapping(node, deep)

    return TextKeys


def write_yaml(content: Mapping[str, Any], file: IO[str]) -> None:
    """Write YAML 1.2, which `parse_yaml` reads as it was: `1e3` is a number, `'1e3'` is text."""
    from ruamel.yaml import YAML

    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    writer.dump(dict(content), file)
