"""Phrases under a sentence, as displaCy draws spans, coloured by the family of their tag.

displaCy escapes words but neither labels nor templates, so labels come to it escaped. The markup of
a word and of a span is this page's own: its colours follow the reader's light or dark, and a label
has room of its own where displaCy's would lie over its neighbour's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup, escape

from pipeline.partition import Phrase
from pipeline.report_page.tags import family

_TEMPLATES = Path(__file__).parents[1] / "templates" / "displacy"


def draw_spans(words: Sequence[str], phrases: Sequence[Phrase]) -> Markup:
    """The words in order, each phrase marked below them with its tag at its start."""
    from spacy import displacy

    labels = [str(escape(tag)) for _, _, tag in phrases]
    colors = {label: family(tag or "") for label, (_, _, tag) in zip(labels, phrases, strict=True)}
    spans = [
        {"start_token": start, "end_token": end, "label": label}
        for label, (start, end, _) in zip(labels, phrases, strict=True)
    ]
    document = {"text": " ".join(words), "tokens": [_shown(word) for word in words], "spans": spans}
    # What displaCy calls a color is the name of a family here: the templates make a class of it.
    templates = {name: _template(name) for name in ("span", "slice", "start")}
    drawn: str = displacy.render(
        document,
        style="span",
        manual=True,
        page=False,
        minify=False,
        jupyter=False,
        options={"colors": colors, "template": templates},
    )
    return Markup(drawn)


def _shown(word: str) -> str:
    """displaCy draws no span under a word of nothing but white space, such as U+00A0."""
    return word if word.strip() else "␣"


def _template(name: str) -> str:
    return (_TEMPLATES / f"{name}.html").read_text(encoding="utf-8").strip()
