"""Which n-grams systems get right: by size, by source length, by syntactic category of the source.

After Hao et al. 2019, figure 2: n-gram precision and BLEU restricted to n, of one system or
several, over text as sacreBLEU tokenises it. Beyond the paper: the same by source length; and
recall of the references' n-grams, by the category of the source phrase that they are aligned to.
Trees and links are over the pipeline's tokens, so for recall text is tokenised as in the stage
`tokenize`. All intervals and tests share resamples.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mgsa.cli.command import Input, Option, OutputFolder, ParameterFile, Report
from mgsa.cli.errors import InputError
from mgsa.cli.files import read_lines
from mgsa.cli.outputs import digest
from mgsa.cli.run import run
from mgsa.cli.settings import to_mapping
from pipeline.formats.tables import Record, Row, write_csv
from pipeline.formats.text import SIDES
from pipeline.formats.text_settings import read_text_settings
from pipeline.formats.translations import Translations
from pipeline.phrasal_patterns.settings import PhrasalPatternsSettings
from pipeline.stage.command import stage, stage_outputs
from pipeline.statistics.bleu_tokenizers import loaded_tokenizer, target_language

if TYPE_CHECKING:
    from pipeline.phrasal_patterns.scores import Scores


def check_references(
    tokens: Sequence[Sequence[str]], target: Sequence[str], *, path: Path, target_path: Path
) -> None:
    """Check that the tokens of the references in `path` are the target side of the split."""
    for line, (words, expected) in enumerate(zip(tokens, target, strict=True), start=1):
        if (found := " ".join(words)) != expected:
            message = f"expected the text whose tokens are in {target_path}, {expected!r}"
            raise InputError(f"{message}, got {found!r}", path=path, line=line)


def find_links(alignments: Path, tokenized: Path, split: str) -> Path | None:
    """The link file of a split: `alignments`, or one in that folder, gold links first."""
    if not alignments.is_dir():
        return alignments
    splits = Record.read(alignments / "aligner.json")["splits"]
    gold = tokenized / f"{split}.links"
    if gold.is_file():
        return gold
    return alignments / f"{split}.links" if split in splits else None


def write_tables(
    scores: Mapping[str, Sequence[Scores]],
    systems: Sequence[str],
    baseline: str | None,
    settings: PhrasalPatternsSettings,
    folder: Path,
) -> dict[str, list[Row]]:
    """Write each table and its figure; the rows by table."""
    from pipeline.charts import write_figure
    from pipeline.phrasal_patterns.figures import drawn_panels, pattern_chart
    from pipeline.phrasal_patterns.scores import rows_of

    (folder / "figures").mkdir()
    resamples = {"samples": settings.bootstrap_samples, "seed": settings.seed}
    tables = {}
    for name, parts in scores.items():
        rows = [row for part in parts for row in rows_of(part, systems, baseline, **resamples)]
        rows.sort(key=lambda row: systems.index(row["system"]))
        tables[name] = rows
        write_csv(rows, folder / f"{name}.csv")
        drawn = [row for some in drawn_panels(name, rows).values() for row in some]
        write_figure(pattern_chart(name, drawn, baseline), folder / "figures" / f"{name}.svg")
    return tables


def scores_of(tables: Mapping[str, Sequence[Row]]) -> dict[str, dict[str, float]]:
    """Scores by system, for `dvc metrics diff`."""
    from pipeline.phrasal_patterns.categories import ALL

    systems: dict[str, dict[str, float]] = {}
    for row in tables["ngrams"]:
        systems.setdefault(row["system"], {})[f"{row['measure']}_{row['n']}"] = row["score"]
    for row in tables.get("categories", []):
        if row["category"] == ALL:
            systems[row["system"]][f"recall_{row['n']}"] = row["score"]
    return systems


def score_patterns(
    phrasal_patterns: PhrasalPatternsSettings,
    *,
    params: Annotated[Path, ParameterFile()],
    references: Annotated[
        list[Path],
        Input("reference translations, detokenised, a file each; recall is of the first", "FILE"),
    ],
    system: Annotated[
        dict[str, Path], Input("its translations, detokenised; may be repeated", "NAME=FILE")
    ],
    baseline: Annotated[str | None, Option("the system to compare the others with", "NAME")] = None,
    tokenized: Annotated[Path | None, Input("tokenised text", kind="tokenised text")] = None,
    split: Annotated[str, Option("of the tokenised text (default: test)", "NAME")] = "test",
    trees: Annotated[
        Path | None, Input("of its source side; with --alignments, for recall by category", "FILE")
    ] = None,
    alignments: Annotated[
        Path | None,
        Input(
            "links of its words (0-0 1-2), or the output of the stage align; gold links of "
            "--tokenized precede those of the stage",
            "FILE|DIR",
        ),
    ] = None,
    out: Annotated[
        Path,
        OutputFolder("tables and figures", "phrasal patterns"),
    ],
    report: Annotated[Path | None, Report("scores (JSON)")] = None,
) -> None:
    """Score n-grams of systems by size, source length and category, and compare with a baseline."""
    import numpy as np
    import sacrebleu

    from pipeline.phrasal_patterns.categories import category_scores, read_occurrences
    from pipeline.phrasal_patterns.scores import length_scores, ngram_scores
    from pipeline.statistics.ngrams import ngram_statistics
    from pipeline.tokenizers.side import side_text

    settings = phrasal_patterns
    if baseline is not None and (baseline not in system or len(system) == 1):
        named = ", ".join(system)
        raise InputError(f"--baseline {baseline}: expected one of several systems, got {named}")
    if (trees or alignments) and not (trees and alignments and tokenized):
        raise InputError("expected --tokenized, --trees and --alignments together")
    sides = [tokenized / f"{split}.{side}" for side in SIDES] if tokenized else []
    given = {f"system {name}": path for name, path in system.items()}
    of_sides = {path.suffix: path for path in sides}
    translations = Translations.read(given | of_sides, references, None)
    translations.check_systems(given, references)
    hypotheses = [translations.texts[name] for name in given]
    expected = [first for first, *_ in translations.references]
    of_target = read_text_settings(tokenized).target_language if tokenized else None
    language = of_target or target_language(params, None)
    tokenizer = loaded_tokenizer(settings.bleu_tokenizer, language)
    count = partial(ngram_statistics, tokenizer=tokenizer, max_ngram=settings.max_ngram)
    statistics = np.stack([count(t, translations.references) for t in hypotheses], axis=1)
    scores, links = {"ngrams": [ngram_scores(statistics, np.ones(len(expected), dtype=bool))]}, None
    if tokenized:
        source, target = (translations.texts[name] for name in of_sides)
        tokenize = side_text(tokenized, "target").tokenize
        tokens = list(map(tokenize, expected))
        check_references(tokens, target, path=references[0], target_path=sides[1])
        lengths = np.array([len(text.split(" ")) for text in source])
        scores["lengths"] = [*length_scores(statistics, lengths, settings.source_lengths)]
    if tokenized and trees and alignments:
        links = find_links(alignments, tokenized, split)
        if links is None or not any(map(str.strip, read_lines(links))):
            print(f"{alignments} has no links of {split}: no categories", file=sys.stderr)
        else:
            sizes = range(1, settings.max_category_ngram + 1)
            ngrams = read_occurrences(tokenized, split, trees, links, sizes)
            translated = zip(*(map(tokenize, texts) for texts in hypotheses), strict=True)
            sentences = zip(ngrams, tokens, translated, strict=True)
            scores["categories"] = [category_scores(sentences, len(system))]
    with stage_outputs(out, report) as (folder, metrics):
        tables = write_tables(scores, [*system], baseline, settings, folder)
        recipe = to_mapping(settings) | {
            "tokenizer": tokenizer,
            "links": None if links is None else str(links),
            "sacrebleu": sacrebleu.__version__,
            "hypotheses": [digest(texts) for texts in hypotheses],
        }
        metrics.update(sentences=len(expected), systems=scores_of(tables))
        metrics.update(recipe=[recipe], ngrams=tables["ngrams"])  # DVC ignores lists


main = stage(score_patterns)

if __name__ == "__main__":
    sys.exit(run(main))
