"""The page: a sentence, its phrases with links that cut or join them, and a column a model.

A page is its address, `?text=A+man+sleeps.&cuts=1/1,2/1,2`, so that it can be kept and sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import parse_qs, urlencode

from markupsafe import Markup

from mgsa.cli.errors import InputError
from mgsa.cli.languages import base_language
from pipeline.analyze.figures import heat_map_chart
from pipeline.charts import figure_svg
from pipeline.explore.sentence import Cuts, Exploration, Explorer, Reading, cuts_of
from pipeline.report.analysis import PLACES
from pipeline.report.blocks import MACROS, details, group, html, number, page, table, text_in
from pipeline.report.data import link_figure
from pipeline.report.sentences import word_diff
from pipeline.report.syntax import draw_phrases, draw_tree

KEY = Markup(
    "A press on <b>·</b> cuts a phrase, on <b>|</b> joins two; what models see is cut anew. "
    "A phrase of another colour has no tag, since the parser has none like it."
)
EXAMPLES = {
    "en": ("They carried the guitars on the mountain.", "The old man sees the dog."),
    "de": ("Der alte Mann sieht den Hund.",),
}
"""Sentences to begin with, by source language."""


@dataclass(frozen=True)
class Question:
    """A request: a sentence, and where its phrases are cut (`None`: as parsed)."""

    text: str = ""
    cuts: Cuts | None = None

    @classmethod
    def of_query(cls, query: str) -> Question:
        """A `ValueError` is raised for cuts that are no numbers."""
        values = {n: found[-1] for n, found in parse_qs(query, keep_blank_values=True).items()}
        text, cuts = values.get("text", "").strip(), values.get("cuts")
        if cuts is None:
            return cls(text)
        levels = (level.split(",") if level else [] for level in cuts.split("/"))
        return cls(text, tuple(tuple(map(int, level)) for level in levels))

    def query(self, **more: str | int) -> str:
        """The question as the query of a URL."""
        values: dict[str, str | int] = {"text": self.text}
        if self.cuts is not None:
            values["cuts"] = "/".join(",".join(map(str, level)) for level in self.cuts)
        return f"?{urlencode(values | more)}"


def render(explorer: Explorer, question: Question) -> str:
    """The whole page; an `InputError` of the sentence is told on it."""
    blocks, error = Markup(), ""
    if question.text:
        try:
            blocks = Markup("\n").join(_blocks(explorer, question))
        except InputError as wrong:
            error, blocks = str(wrong), _as_parsed(question)
    source, targets = explorer.source, ", ".join(dict.fromkeys(explorer.targets.values()))
    if not question.text:
        texts = EXAMPLES.get(base_language(source), ())
        links = [html('<a href="{}">{}</a>', Question(text).query(), text) for text in texts]
        blocks = html('<p class="key">Try {}</p>', Markup(" · ").join(links)) if links else blocks
    return page(
        "explore",
        title=f"{', '.join(explorer.models)} {source} → {targets}",
        source=source.replace("_", "-"),
        text=question.text,
        error=error,
        blocks=blocks,
    )


def _blocks(explorer: Explorer, question: Question) -> Iterator[Markup]:
    found = explorer.explore(question.text, question.cuts)
    parsed = explorer.explore(question.text, None)
    source = explorer.source
    if found.tree is not None:
        yield MACROS.tree("Tree", source, draw_tree(found.tree))
        levels = [_level(found, level, question) for level in range(len(found.phrases))]
        yield MACROS.levels(source, levels)
        yield html('<p class="key">{} {}</p>', KEY, _as_parsed(question))
    columns = {
        name: Markup().join(
            _column(name, reading, parsed.readings[name], question, explorer.targets[name])
        )
        for name, reading in found.readings.items()
    }
    section = '<section class="model" aria-label="{}">{}</section>'
    yield group("models", [html(section, *column) for column in columns.items()])


def _as_parsed(question: Question) -> Markup:
    """The link to the parser's phrases, from others."""
    link = '<a id="parsed" href="{}">Back to the parser’s</a>'
    return html(link, Question(question.text).query()) if question.cuts is not None else Markup()


def _level(found: Exploration, level: int, question: Question) -> Markup:
    """The phrases of a level; before each word but the first a link to the page of another cut."""
    cuts = cuts_of(found.phrases)
    words = [html('<span class="cut">&#8203;</span>{}', found.tokens[0])]
    for at, token in enumerate(found.tokens[1:], start=1):
        is_cut = at in cuts[level]
        changed = tuple(sorted({*cuts[level]} ^ {at}))
        other = replace(question, cuts=(*cuts[:level], changed, *cuts[level + 1 :]))
        words.append(
            html(
                '<a class="cut" id="cut-{}-{}" href="{}" aria-label="{}">{}</a>{}',
                *(level + 1, at, other.query()),
                f"level {level + 1}: {'join' if is_cut else 'cut'} before {token}",
                *("|" if is_cut else "·", token),
            )
        )
    return draw_phrases(words, found.phrases[level])


def _column(
    name: str, reading: Reading, parsed: Reading, question: Question, language: str
) -> Iterator[Markup]:
    """One model's translation of the sentence."""
    translation, before = reading.translation, parsed.translation
    yield html("<h2>{}</h2>", name)
    best = text_in(language, translation.text or "(nothing)")
    yield html('<p class="translation" role="status">{}</p>', best)
    if translation.text != before.text:
        change = Markup(word_diff(translation.text, before.text))
        yield html('<p class="key">Changed from the parser’s phrases: {}</p>', change)
    alternatives = [
        {"translation": text_in(language, each.text), "score": number(each.score, ".3f")}
        for each in translation.n_best
    ]
    yield table("Alternatives and their scores", alternatives)
    yield html('<p class="key">Subwords: <span>{}</span></p>', " ".join(translation.subwords))
    best_links = dict.fromkeys(translation.n_best[0].links or (), "link")
    if best_links:
        matrix = link_figure("", translation.tokens, translation.n_best[0].tokens, best_links)
        yield details("Word links", group("matrices", [matrix]))
    for place, title in PLACES.items():
        pictures = [
            (each.layer, f"map{question.query(model=name, number=n)}")
            for n, each in enumerate(reading.maps)
            if each.place == place
        ]
        if pictures:
            drawn = MACROS.heat_maps(f"{title} of {name}", pictures, lazy=True)
            yield details(title.capitalize(), drawn, style=place)


def heat_map(explorer: Explorer, question: Question, model: str, index: int) -> str:
    """The picture of a map, as SVG; a `LookupError` is raised if there is none."""
    reading = explorer.explore(question.text, question.cuts).readings[model]
    return figure_svg(heat_map_chart(dict(enumerate(reading.maps))[index], model))
