"""The sections of the page, in order: the one place that knows them all."""

from __future__ import annotations

from pipeline.report_page.section import Section
from pipeline.report_page.sections import (
    alignments,
    attention,
    corpus,
    curves,
    overview,
    parsing,
    patterns,
    phrases,
    probing,
    provenance,
    scores,
    sentences,
    subwords,
    tables,
    trees,
)

RESULTS, DATA, MODEL, MADE = "Results", "Data", "Model", "Provenance"

SECTIONS = (
    Section("overview", "Overview", RESULTS, overview.context),
    Section("scores", "Scores", RESULTS, scores.context),
    Section("tables", "Systems over seeds", RESULTS, tables.context),
    Section("sentences", "Sentences", RESULTS, sentences.context),
    Section("patterns", "Phrasal patterns", RESULTS, patterns.context),
    Section("curves", "Learning curves", RESULTS, curves.context),
    Section("attention", "Attention", MODEL, attention.context),
    Section("probing", "Probing", MODEL, probing.context),
    Section("corpus", "Corpus", DATA, corpus.context),
    Section("parsing", "Parser", DATA, parsing.context),
    Section("trees", "Trees and phrases", DATA, trees.context),
    Section("phrases", "Phrase statistics", DATA, phrases.context),
    Section("subwords", "Subwords", DATA, subwords.context),
    Section("alignments", "Word alignments", DATA, alignments.context),
    Section("provenance", "What was run", MADE, provenance.context),
)
