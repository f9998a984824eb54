"""The HTML page: all non-empty sections, styles and script.

Text is escaped; the content security policy forbids loading and other scripts.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from markupsafe import Markup

from pipeline.report.analysis import attention, patterns, probing
from pipeline.report.blocks import page
from pipeline.report.contrasts import contrasts
from pipeline.report.data import alignments, corpus, subwords
from pipeline.report.inputs import Inputs
from pipeline.report.provenance import provenance
from pipeline.report.results import curves, overview, scores, tables
from pipeline.report.sentences import sentences
from pipeline.report.syntax import parsing, phrases, trees


class Section(NamedTuple):
    """A section: `name` is its id, `group` its part of the table of contents.

    It is left out if `blocks` yields nothing.
    """

    name: str
    title: str
    group: str
    blocks: Callable[[Inputs], Iterator[Markup]]


SECTIONS = (
    Section("overview", "Overview", "Results", overview),
    Section("scores", "Scores", "Results", scores),
    Section("contrasts", "Contrasts", "Results", contrasts),
    Section("tables", "Systems over seeds", "Results", tables),
    Section("sentences", "Sentences", "Results", sentences),
    Section("patterns", "Phrasal patterns", "Results", patterns),
    Section("curves", "Learning curves", "Results", curves),
    Section("attention", "Attention", "Model", attention),
    Section("probing", "Probing", "Model", probing),
    Section("corpus", "Corpus", "Data", corpus),
    Section("parsing", "Parser", "Data", parsing),
    Section("trees", "Trees and phrases", "Data", trees),
    Section("phrases", "Phrase statistics", "Data", phrases),
    Section("subwords", "Subwords", "Data", subwords),
    Section("alignments", "Word alignments", "Data", alignments),
    Section("provenance", "What was run", "Provenance", provenance),
)
"""The sections in order: the one place that knows them all."""


def render(inputs: Inputs) -> str:
    """The HTML page, without the sections that have no blocks."""
    shown = [(section, Markup("\n").join(section.blocks(inputs))) for section in SECTIONS]
    filled = [(section, html) for section, html in shown if html.strip()]
    return page("page", title=title(inputs), sections=filled)


def title(inputs: Inputs) -> str:
    """Subject, corpus and direction."""
    names = [system.name for system in inputs.systems]
    what = "systems over seeds" if inputs.tables else "data"
    if names:
        what = names[0] if len(names) == 1 else f"{len(names)} systems"
    corpus = inputs.description("corpus", "corpus.json")
    languages = " → ".join(inputs.languages.values())
    return f"{what} on {corpus['name']} {languages}" if corpus else what
