"""What was run, and its numbers at a glance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pipeline.report_page.inputs import Inputs
from pipeline.report_page.section import Context


class Tile(NamedTuple):
    """A number that stands for its section; `note` says what it is of."""

    value: str
    label: str
    note: str
    section: str


def context(inputs: Inputs) -> Context:
    """Always there."""
    # Of the run's own parameters: systems that are only compared were composed of others.
    composition = inputs.report("params") if inputs.parameters is not None else None
    content = {} if composition is None else composition.content
    differences = content.get("differences")
    return {
        "options": [(group, name) for group, name in content.items() if isinstance(name, str)],
        "differences": differences if isinstance(differences, dict) else {},
        "tiles": [*_scores(inputs), *_data(inputs)],
        "systems": [system.name for system in inputs.systems],
    }


def _scores(inputs: Inputs) -> Iterator[Tile]:
    """The best BLEU of all systems, or the first metric that they were scored by."""
    reports = [(s.name, r) for s in inputs.systems if (r := s.report("evaluate")) is not None]
    scored = [(name, r) for name, r in reports if "bleu" in r]
    if scored:
        name, report = max(scored, key=lambda one: one[1].number("bleu"))
        value = f"{report.number('bleu'):.1f}"
        if "bleu_interval" in report:
            value += f" ± {report.number('bleu_interval'):.1f}"
        label = "BLEU" if len(scored) == 1 else f"best BLEU of {len(scored)} systems"
        yield Tile(value, label, name, "scores")
    if len(reports) == 1 and "chrf" in reports[0][1]:
        yield Tile(f"{reports[0][1].number('chrf'):.1f}", "chrF", reports[0][0], "scores")
    trained = [r for s in inputs.systems if (r := s.report("train")) is not None]
    if len(trained) == 1 and "parameters" in trained[0]:
        millions = trained[0].number("parameters") / 1e6
        updates = f"{trained[0].number('updates'):,.0f} updates" if "updates" in trained[0] else ""
        yield Tile(f"{millions:.2f} M", "parameters", updates, "curves")


def _data(inputs: Inputs) -> Iterator[Tile]:
    tokenized = inputs.report("tokenize")
    if tokenized is not None:
        kept, pairs = tokenized.number("train_kept"), tokenized.number("train_pairs")
        yield Tile(f"{kept:,.0f}", "training pairs", f"of {pairs:,.0f} in the corpus", "corpus")
    parser = inputs.report("parser")
    if parser is not None and "labelled_f1" in parser:
        trees = f"on {parser.number('dev_trees'):,.0f} held-out trees"
        yield Tile(f"{parser.number('labelled_f1'):.1f}", "parser F1", trees, "parsing")
    aligned = inputs.report("align")
    error = f"{inputs.settings.split}_aer"
    if aligned is not None and error in aligned:
        yield Tile(
            f"{aligned.number(error):.1f}",
            "AER of the aligner",
            f"on {inputs.settings.split}",
            "alignments",
        )
