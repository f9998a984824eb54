"""Damage for property tests to draw: text and bytes that are nearly what a reader takes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mgsa.base.errors import InputError

T = TypeVar("T", str, bytes)

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, "", "x", "../x", "/etc/passwd", "a\nb", "\ud800", "\0"),
    *(-1, 0, 1, 2**31, 2**63, 10**30, 0.5, -1.5, float("inf"), float("nan")),
    *([], {}, [[]], [None], ["x"], {"a": 1}, [1] * 40),
)
"""What may stand in JSON where something else is expected."""


def refusal(read: Callable[[], object]) -> str | None:
    """What a reader says of input that it refuses; `None` if it takes it, and any other error."""
    try:
        read()
    except InputError as error:
        return str(error)
    return None


def mutated_text(text: str, pieces: SearchStrategy[str]) -> SearchStrategy[str]:
    """`text` after a few cuts, repetitions, and insertions of `pieces` or any characters."""
    return _mutated(text, st.one_of(pieces, st.text(max_size=3)), "".join)


def mutated_bytes(data: bytes) -> SearchStrategy[bytes]:
    """`data` after a few cuts, repetitions, insertions, and flips of bytes."""
    return _mutated(data, st.binary(max_size=4), b"".join)


def _mutated(
    whole: T, pieces: SearchStrategy[T], join: Callable[[Sequence[T]], T]
) -> SearchStrategy[T]:
    @st.composite
    def mutated(draw: st.DrawFn) -> T:
        found = whole
        for _ in range(draw(st.integers(1, 3))):
            start, stop = sorted(draw(st.tuples(*[st.integers(0, len(found))] * 2)))
            middle = found[start:stop]
            new = draw(st.one_of(st.just(middle[:0]), st.just(join([middle] * 2)), pieces))
            found = join([found[:start], new, found[stop:]])
        return found

    return mutated()


@st.composite
def mutated_json(draw: st.DrawFn, content: Any) -> str:
    """The text of JSON of which one value, at any depth, is another one, or gone."""
    path = draw(st.sampled_from(list(_paths(content))))
    new = draw(st.sampled_from(ODD_VALUES))
    if not path:
        return json.dumps(new)
    *outer, last = path
    return json.dumps(_with(content, outer, last, new, gone=draw(st.booleans())))


def _paths(content: Any, path: tuple[Any, ...] = ()) -> Sequence[tuple[Any, ...]]:
    items = (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else ()
    )
    return [path, *(inner for key, value in items for inner in _paths(value, (*path, key)))]


def _with(content: Any, outer: list[Any], last: Any, new: Any, *, gone: bool) -> Any:
    """A copy of `content` with `new`, or nothing, at the path `outer` and `last`."""
    copied = content.copy()
    if outer:
        copied[outer[0]] = _with(content[outer[0]], outer[1:], last, new, gone=gone)
    elif gone:
        del copied[last]
    else:
        copied[last] = new
    return copied
