"""Which n-grams systems get right: by size, by source length, by syntactic category of the source.

After Hao et al. 2019, figure 2: n-gram precision and BLEU restricted to n (`mgsa.analysis.ngrams`)
of one system or several, over text as sacreBLEU tokenises it. Beyond the paper: the same by source
length; and recall of the references' n-grams, by the category of the source phrase that they are
aligned to (`pipeline.patterns.categories`). Trees and links are over the pipeline's tokens, so for
recall text is tokenised as in the stage `tokenize`. All intervals and tests share resamples.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mgsa.base.cli import run
from mgsa.base.command import Input, Option, OutputFolder, Report
from mgsa.base.errors import InputError
from mgsa.base.settings import Positive, Resamples, Seed, to_mapping
from pipeline.base.stage import SIDES, stage, stage_outputs
from pipeline.base.tables import Row, write_csv
from pipeline.base.text import read_parallel

if TYPE_CHECKING:
    from pipeline.patterns.scores import Scores


@dataclass(frozen=True)
class PhrasalPatternsSettings:
    """Sizes of n-grams, of all and by syntactic category.

    `source_lengths` are the largest numbers of source words of all bins but the last.
    """

    max_ngram: Positive
    max_category_ngram: Positive
    bleu_tokenizer: Literal["13a", "intl", "zh", "char", "none"]
    source_lengths: tuple[Positive, ...]
    bootstrap_samples: Resamples
    seed: Seed

    def __post_init__(self) -> None:
        if any(one >= other for one, other in pairwise(self.source_lengths)):
            raise ValueError("source_lengths: expected each larger than the one before")


def score_tables(
    references: Path,
    systems: Sequence[Path],
    settings: PhrasalPatternsSettings,
    *,
    tokenized: Path | None,
    split: str,
    trees: Path | None,
    links: Path | None,
) -> dict[str, Scores]:
    """The scores by n-gram; with tokenised text by length; with trees and links by category.

    Raises:
        InputError: files are malformed or not of the same sentences.
    """
    import numpy as np

    from mgsa.analysis.bootstrap import Bootstrap
    from mgsa.analysis.ngrams import ngram_statistics
    from pipeline.patterns.aligned_split import check_references, read_occurrences, tokenize_target
    from pipeline.patterns.categories import count_categories
    from pipeline.patterns.scores import category_scores, length_scores, ngram_scores

    sides = [tokenized / f"{split}.{side}" for side in SIDES] if tokenized else []
    columns = list(zip(*read_parallel([references, *systems, *sides]), strict=True))
    expected, *hypotheses = columns[: 1 + len(systems)]
    count = partial(
        ngram_statistics, tokenizer=settings.bleu_tokenizer, max_ngram=settings.max_ngram
    )
    statistics = np.stack([count(texts, expected) for texts in hypotheses], axis=1)
    resamples = Bootstrap(len(expected), settings.bootstrap_samples, settings.seed)
    tables = {"ngrams": ngram_scores(statistics, resamples)}
    if not tokenized:
        return tables
    source, target = columns[-2:]
    tokens = tokenize_target(expected, tokenized)
    check_references(tokens, target, path=references, target_path=sides[1])
    lengths = np.array([len(text.split(" ")) for text in source])
    tables["lengths"] = length_scores(statistics, lengths, settings.source_lengths, resamples)
    if trees and links:
        sizes = range(1, settings.max_category_ngram + 1)
        ngrams = read_occurrences(tokenized, split, trees, links, sizes)
        of_systems = (tokenize_target(texts, tokenized) for texts in hypotheses)
        translated = zip(ngrams, tokens, zip(*of_systems, strict=True), strict=True)
        counts = count_categories(translated, len(systems))
        tables["categories"] = category_scores(counts, resamples)
    return tables


def report_of(tables: Mapping[str, Sequence[Row]], recipe: dict[str, Any]) -> dict[str, Any]:
    """Scores by system, which DVC compares; then lists, which it ignores."""
    from pipeline.patterns.categories import ALL

    systems: dict[str, dict[str, float]] = {}
    for row in tables["ngrams"]:
        systems.setdefault(row["system"], {})[f"{row['measure']}_{row['n']}"] = row["score"]
    for row in tables.get("categories", []):
        if row["category"] == ALL:
            systems[row["system"]][f"recall_{row['n']}"] = row["score"]
    return {"systems": systems, "recipe": [recipe], "ngrams": tables["ngrams"]}


def describe(rows: Sequence[Row], baseline: str | None) -> Iterator[str]:
    """A line for each system: BLEU restricted to n, or its gain over a baseline."""
    of_bleu = [row for row in rows if row["measure"] == "bleu"]
    for system, some in groupby(of_bleu, key=itemgetter("system")):
        shown, above = "{n}: {score:.2f}", ""
        if baseline not in (None, system):
            shown, above = "{n}: {difference:+.2f} (p = {p_value:.4f})", f" above {baseline}"
        parts = ", ".join(shown.format(**row) for row in some)
        yield f"{system}: BLEU restricted to n{above}: {parts}"


def score_patterns(
    phrasal_patterns: PhrasalPatternsSettings,
    *,
    references: Annotated[Path, Input("reference translations, detokenised", "FILE")],
    system: Annotated[
        dict[str, Path],
        Input("its translations, detokenised; may be repeated", "NAME=FILE"),
    ],
    baseline: Annotated[str | None, Option("the system to compare the others with", "NAME")] = None,
    tokenized: Annotated[Path | None, Input("tokenised text, for scores by source length")] = None,
    split: Annotated[str, Option("of the tokenised text (default: test)", "NAME")] = "test",
    trees: Annotated[
        Path | None,
        Input("of its source side; with --alignments, for recall by category", "FILE"),
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
        OutputFolder(
            "tables and figures",
            *(f"{name}.csv" for name in ("ngrams", "lengths", "categories")),
            "figures/*.svg",
        ),
    ],
    report: Annotated[Path | None, Report("scores (JSON)")] = None,
) -> None:
    """Score n-grams of systems, with differences to a baseline.

    n-gram precision and BLEU restricted to n; also by source length, and recall by syntactic
    category of the source.
    """
    import sacrebleu

    from pipeline.base.charts import write_figure
    from pipeline.patterns.aligned_split import find_links
    from pipeline.patterns.figures import drawn_rows, pattern_chart
    from pipeline.patterns.scores import rows_of

    _check_options([*system], baseline, tokenized, trees, alignments)
    links = None
    if tokenized and alignments:
        links = find_links(alignments, tokenized, split)
        if links is None:
            print(f"{alignments} has no links of {split}: no categories", file=sys.stderr)
    scores = score_tables(
        references,
        [*system.values()],
        phrasal_patterns,
        tokenized=tokenized,
        split=split,
        trees=trees,
        links=links,
    )
    recipe = {
        **to_mapping(phrasal_patterns),
        "links": None if links is None else str(links),
        "sacrebleu": sacrebleu.__version__,
    }
    tables = {name: rows_of(of_table, [*system], baseline) for name, of_table in scores.items()}
    with stage_outputs(out, report) as (folder, metrics):
        (folder / "figures").mkdir()
        for name, table in tables.items():
            write_csv(table, folder / f"{name}.csv")
            figure = pattern_chart(name, drawn_rows(name, table), baseline)
            write_figure(figure, folder / "figures" / f"{name}.svg")
        sentences = scores["ngrams"].of_sentences.shape[1]
        metrics.update(sentences=sentences, **report_of(tables, recipe))
    for line in describe(tables["ngrams"], baseline):
        print(line)


def _check_options(
    systems: Sequence[str],
    baseline: str | None,
    tokenized: Path | None,
    trees: Path | None,
    alignments: Path | None,
) -> None:
    """Check the options that belong together."""
    if baseline is not None and baseline not in systems:
        raise InputError(f"--baseline {baseline}: expected one of {', '.join(systems)}")
    if baseline is not None and len(systems) == 1:
        raise InputError(f"--baseline {baseline}: expected another --system to compare with it")
    if (trees is None) != (alignments is None):
        raise InputError("expected --trees and --alignments together")
    if trees is not None and tokenized is None:
        raise InputError("--trees and --alignments: expected --tokenized too")


main = stage(score_patterns)

if __name__ == "__main__":
    sys.exit(run(main))
