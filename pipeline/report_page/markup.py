"""Markup: pieces of HTML with values filled in, each escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markupsafe import Markup, escape

LONGEST_SUMMARY = 140
"""Characters of a sentence where it only stands for itself."""
_NAME_PARTS = re.compile(r"[^_./]*[_./]|[^_./]+")


def html(template: str, *values: object) -> Markup:
    """Markup with values filled in, each escaped unless it is markup."""
    return Markup(template).format(*values)


def join(parts: Iterable[Markup], between: str = "") -> Markup:
    """Pieces of markup, one after the other."""
    return Markup(between).join(parts)


def listed(style: str, items: Iterable[Markup]) -> Markup:
    """A list of the class `style`."""
    return html('<ul class="{}">{}</ul>', style, join(html("<li>{}</li>", i) for i in items))


def foreign(text: str, language: str) -> Markup:
    """Text of a language."""
    return html('<span lang="{}" dir="auto">{}</span>', language, text)


def swatch(style: int) -> Markup:
    """The colour and dash of a system."""
    return html(
        '<svg class="swatch s{} d{}" viewBox="0 0 26 8" width="26" height="8" aria-hidden="true">'
        '<path d="M1 4H25"/></svg>',
        style % 8,
        (style + style // 8) % 4,
    )


def named(name: str, style: int | None) -> Markup:
    """A system's name, with its colour where several are compared."""
    mark = "" if style is None else swatch(style) + " "
    return html('{}<span dir="auto">{}</span>', mark, breakable(name))


def bar(share: float) -> Markup:
    """A share as a bar, as wide as its cell for all."""
    return html('<span class="bar" style="width:{:.1f}%"></span>', 100 * share)


def shortened(text: str) -> str:
    """Text of a summary's length."""
    return text if len(text) <= LONGEST_SUMMARY else f"{text[: LONGEST_SUMMARY - 1]}…"


def breakable(name: str) -> Markup:
    """A name that may be broken after its points and underscores."""
    return join(map(escape, _NAME_PARTS.findall(name)), "<wbr>")
