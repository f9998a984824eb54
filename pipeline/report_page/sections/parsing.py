"""How good the parser is on held-out trees, and which sentences it could not parse."""

from __future__ import annotations

from pipeline.report_page.inputs import Inputs
from pipeline.report_page.numbers import Report
from pipeline.report_page.section import Context

SCORES = {
    "labelled_f1": "labelled bracketing F1",
    "labelled_precision": "labelled precision",
    "labelled_recall": "labelled recall",
    "tagging_accuracy": "accuracy of parts of speech",
}
FLAT = {
    "flat_too_long": "longer than parse.max_words: a flat tree",
    "flat_failed": "failed to parse: a flat tree",
}


def context(inputs: Inputs) -> Context | None:
    scored, parsed = inputs.report("parser"), inputs.report("parse")
    folder = inputs.path("parser")
    if scored is None and parsed is None and folder is None:
        return None
    described = None if folder is None else Report.read(folder / "parser.json")
    flat: list[tuple[str, float, float]] = []
    if parsed is not None:
        sentences = parsed.number("sentences")
        flat = [
            (label, parsed.number(key), parsed.number(key) / sentences if sentences else 0.0)
            for key, label in FLAT.items()
            if key in parsed
        ]
    return {
        "scores": []
        if scored is None
        else [(label, scored.number(key)) for key, label in SCORES.items() if key in scored],
        "trees": None if scored is None else scored.get("dev_trees"),
        "kind": None if described is None else described.text("kind"),
        "identity": None if described is None else described.content.get("identity"),
        "package": None if described is None else described.content.get("package"),
        "sentences": None if parsed is None else parsed.number("sentences"),
        "flat": flat,
        "paths": [report.path for report in (scored, parsed, described) if report is not None],
    }
