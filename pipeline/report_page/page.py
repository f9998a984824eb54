"""The page as HTML: every section that has something to show, with its styles and its script.

All text is escaped where it is filled in. The page's policy says that it loads nothing and runs no
script but its own.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pipeline.report_page import (
    alignments,
    data,
    model,
    patterns,
    probing,
    provenance,
    results,
    sentences,
    syntax,
)
from pipeline.report_page.blocks import Block
from pipeline.report_page.inputs import Inputs, Report
from pipeline.report_page.markup import swatch
from pipeline.report_page.numbers import fixed

TEMPLATES = Path(__file__).parent / "templates"


class Section(NamedTuple):
    """A section of the page.

    Attributes:
        name: its id on the page.
        group: the part of the table of contents that it is in.
        blocks: what it shows; without any, it is left out.
    """

    name: str
    title: str
    group: str
    blocks: Callable[[Inputs], Iterator[Block]]


SECTIONS = (
    Section("overview", "Overview", "Results", results.overview),
    Section("scores", "Scores", "Results", results.scores),
    Section("tables", "Systems over seeds", "Results", results.tables),
    Section("sentences", "Sentences", "Results", sentences.sentences),
    Section("patterns", "Phrasal patterns", "Results", patterns.patterns),
    Section("curves", "Learning curves", "Results", model.curves),
    Section("attention", "Attention", "Model", model.attention),
    Section("probing", "Probing", "Model", probing.probing),
    Section("corpus", "Corpus", "Data", data.corpus),
    Section("parsing", "Parser", "Data", syntax.parsing),
    Section("trees", "Trees and phrases", "Data", syntax.trees),
    Section("phrases", "Phrase statistics", "Data", syntax.phrases),
    Section("subwords", "Subwords", "Data", data.subwords),
    Section("alignments", "Word alignments", "Data", alignments.alignments),
    Section("provenance", "What was run", "Provenance", provenance.provenance),
)
"""The sections in order: the one place that knows them all."""


def render(inputs: Inputs) -> str:
    """The whole page."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"fixed": fixed, "swatch": swatch}
    sections = [(section, list(section.blocks(inputs))) for section in SECTIONS]
    sections = [(section, blocks) for section, blocks in sections if blocks]
    script = (TEMPLATES / "page.js").read_text("utf-8")
    page = environment.get_template("page.html").render(
        title=title(inputs),
        sections=sections,
        groups=groupby((section for section, _ in sections), lambda section: section.group),
        style=Markup((TEMPLATES / "page.css").read_text("utf-8")),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
    )
    return f"{page}\n"


def title(inputs: Inputs) -> str:
    """The corpus, the direction, and what the page is about."""
    corpus = inputs.paths.get("corpus")
    name = "" if corpus is None else Report.read(corpus / "corpus.json")["name"]
    languages = " → ".join(filter(None, inputs.languages.values()))
    match inputs.systems:
        case []:
            what = "systems over seeds" if inputs.tables else "data"
        case [system]:
            what = system.name
        case systems:
            what = f"{len(systems)} systems"
    about = " ".join(filter(None, (name, languages)))
    return f"{what} on {about}" if about else what
