"""The page as HTML: every section that has something to show, with its styles and its script.

All text is escaped where it is filled in, by Jinja; only the drawings that this package makes or
cleans itself are markup. The page says in its policy that it loads nothing and runs no script but
its own, so that what slipped through would still do nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from pipeline.report_page.contents import SECTIONS
from pipeline.report_page.inputs import Inputs
from pipeline.report_page.numbers import Report

TEMPLATES = Path(__file__).parent / "templates"
LONGEST_SUMMARY = 140
"""Characters of a sentence where it only stands for itself."""

_NAME_PARTS = re.compile(r"[^_./]*[_./]|[^_./]+")


@dataclass(frozen=True)
class FilledSection:
    """A section of the page with its markup."""

    name: str
    title: str
    group: str
    html: Markup


def render(inputs: Inputs) -> str:
    """The whole page.

    Raises:
        InputError: an input that was given is missing or malformed.
    """
    environment = _environment()
    sections = [
        FilledSection(section.name, section.title, section.group, Markup(template.render(context)))
        for section in SECTIONS
        if (context := section.context(inputs)) is not None
        and (template := environment.get_template(f"sections/{section.name}.html"))
    ]
    style, script = (
        (TEMPLATES / name).read_text(encoding="utf-8") for name in ("page.css", "page.js")
    )
    assert "</" not in style
    assert "</script" not in script
    page = environment.get_template("page.html").render(
        title=title(inputs),
        sections=sections,
        groups=[(group, list(some)) for group, some in groupby(sections, lambda one: one.group)],
        style=Markup(style),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
    )
    return f"{page}\n"


def title(inputs: Inputs) -> str:
    """What the page is called: the corpus, the direction, and what it is about."""
    corpus = inputs.path("corpus")
    name = None if corpus is None else Report.read(corpus / "corpus.json").text("name")
    languages = " → ".join(code for code in inputs.languages.values() if code)
    about = " ".join(part for part in (name, languages) if part)
    match inputs.systems:
        case []:
            what = "systems over seeds" if inputs.tables else "data"
        case [system]:
            what = system.name
        case systems:
            what = f"{len(systems)} systems"
    return f"{what} on {about}" if about else what


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "plain": plain,
        "fixed": fixed,
        "percent": percent,
        "signed": signed,
        "p_value": p_value,
        "as_yaml": as_yaml,
        "shortened": shortened,
        "breakable": breakable,
        "column": column,
        "keys": keys,
    }
    return environment


def plain(value: float) -> str:
    """A number as people write it: `10,000`, `0.5`."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.4g}"


def fixed(value: float | None, digits: int) -> str:
    """A number with so many decimal places; nothing for none."""
    return "" if value is None else f"{value:,.{digits}f}"


def percent(share: float) -> str:
    """A share of 1 in per cent."""
    return f"{100 * share:.1f}%"


def signed(value: float, digits: int = 2) -> str:
    """A difference, with its sign: minus, not hyphen."""
    return f"{value:+.{digits}f}".replace("-", "−")


def p_value(value: float) -> str:
    """A probability; sacreBLEU's smallest is one over the resamples."""
    return f"{value:.3f}" if value >= 0.001 else "< 0.001"


def as_yaml(value: Any) -> str:
    """A value as the parameter file has it: `null`, not Python's `None`."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def shortened(text: str) -> str:
    """Text of a summary's length."""
    return text if len(text) <= LONGEST_SUMMARY else f"{text[: LONGEST_SUMMARY - 1]}…"


def breakable(name: str) -> Markup:
    """A name that may be broken after its points and underscores."""
    return Markup("<wbr>").join(Markup(escape(part)) for part in _NAME_PARTS.findall(name))


def column(rows: Sequence[tuple[float, Sequence[float | None]]], number: int) -> list[float]:
    """The values of one line of a chart's table, which has at least one."""
    return [value for _, values in rows if (value := values[number]) is not None]


def keys(named: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """All keys of some mappings, each once, in the order that they come in."""
    return list(dict.fromkeys(key for _, values in named for key in values))
