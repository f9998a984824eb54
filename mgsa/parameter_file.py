"""YAML that parameters are written in: read plainly, in bounded time and memory.

YAML can hold dates, sets and bytes, and one value in many places (`*alias`), so that a short file
is a long list, or one without end. A parameter file has text, numbers, truths, lists and sections,
and not many of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mgsa.errors import InputError
from mgsa.files import MAX_DEPTH, read_text

MAX_BYTES = 1 << 16
"""Some ten times as many as `params.yaml` has; PyYAML takes a second for them."""
MAX_VALUES = 10_000
"""Keys and values of all sections and lists, those of an alias counted in each place."""


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file that holds a mapping of sections.

    Raises:
        InputError: the file is missing, too large, not UTF-8, not YAML, or not a mapping; or it
            holds something else than text, numbers, truths, lists and sections, or too much of it,
            or a key twice in one section.
    """
    text = read_yaml_text(path)
    content = _parsed(text, path)
    if not isinstance(content, dict):
        found = "nothing" if content is None else type(content).__name__
        raise InputError(f"expected a mapping of sections, found {found}", path=path)
    return content


def read_yaml_text(path: Path) -> str:
    """The text of a YAML file, comments and all.

    Raises:
        InputError: the file is missing, too large or not UTF-8.
    """
    return read_text(path, "YAML", max_bytes=MAX_BYTES)


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
            value = _parsed(text, None)
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


def _parsed(text: str, path: Path | None) -> Any:
    import yaml

    try:
        _check_size(text, path)
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        _check_keys(node, path)
        content = None if node is None else loader.construct_document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "malformed"
        raise InputError(
            f"expected YAML: {problem}", path=path, line=mark.line + 1 if mark else None
        ) from None
    except InputError:
        raise
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError) as error:
        # A date in the thirteenth month, a number without digits: PyYAML says it in many ways.
        raise InputError(f"expected YAML: {error}", path=path) from None
    _check_plain(content, path)
    return content


class _Extent(NamedTuple):
    """How much a value is, itself counted, and how many levels it has."""

    values: int
    levels: int


def _check_size(text: str, path: Path | None) -> None:
    """Check how much there is before it is made: PyYAML recurses, and merges write aliases out."""
    from yaml import (
        AliasEvent,
        CollectionEndEvent,
        CollectionStartEvent,
        SafeLoader,
        ScalarEvent,
        parse,
    )

    named: dict[str, _Extent] = {}
    found = 0
    open_: list[tuple[str | None, int, int]] = []  # its name, values before it, levels within
    for event in parse(text, Loader=SafeLoader):
        mark = event.start_mark
        line = mark.line + 1 if mark else None
        extent = _Extent(0, 0)
        if isinstance(event, CollectionStartEvent):
            open_.append((event.anchor, found, 0))
            found += 1
        elif isinstance(event, CollectionEndEvent):
            name, before, levels = open_.pop()
            extent = _Extent(found - before, levels + 1)
            if name is not None:
                named[name] = extent
        elif isinstance(event, AliasEvent):
            if event.anchor not in named:  # or it is that of what it stands in
                message = f"expected a value before its alias *{event.anchor}"
                raise InputError(message, path=path, line=line)
            extent = named[event.anchor]
            found += extent.values
        elif isinstance(event, ScalarEvent):
            found += 1
            if event.anchor is not None:
                named[event.anchor] = _Extent(1, 0)
        if open_:
            name, before, levels = open_[-1]
            open_[-1] = name, before, max(levels, extent.levels)
        if found > MAX_VALUES:
            raise InputError(f"expected at most {MAX_VALUES:,} values", path=path, line=line)
        if len(open_) + extent.levels > MAX_DEPTH:
            raise InputError(f"expected YAML of at most {MAX_DEPTH} levels", path=path, line=line)


def _check_keys(node: Any, path: Path | None) -> None:
    """Check that no section has a key twice, of which the last would count."""
    from yaml import MappingNode, ScalarNode, SequenceNode

    waiting = [node]
    while waiting:
        match waiting.pop():
            case MappingNode(value=pairs):
                found = set()
                for key, value in pairs:
                    if isinstance(key, ScalarNode) and key.value in found:
                        raise InputError(
                            f"expected each key once, found {key.value!r} again",
                            path=path,
                            line=key.start_mark.line + 1,
                        )
                    found.add(key.value if isinstance(key, ScalarNode) else None)
                    waiting += [key, value]
            case SequenceNode(value=items):
                waiting += items


def _check_plain(content: Any, path: Path | None) -> None:
    """Check that there is nothing but text, numbers, truths, lists and sections."""
    waiting = [content]
    while waiting:
        match waiting.pop():
            case dict(section):
                waiting += [*section, *section.values()]
            case list(items):
                waiting += items
            case str(text):
                _check_text(text, path)
            case None | bool() | int() | float():
                pass
            case other:
                raise InputError(
                    f"expected text, numbers, lists and sections, found a {type(other).__name__}",
                    path=path,
                )


def _check_text(text: str, path: Path | None) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = text[error.start]
        raise InputError(f"expected text, found half of a character: {half!r}", path=path) from None
    if "\0" in text:
        raise InputError("expected text, found a character 0", path=path)
