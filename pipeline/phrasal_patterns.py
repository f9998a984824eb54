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
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mgsa.base.cli import progress, run
from mgsa.base.command import Input, Option, OutputFolder, Report
from mgsa.base.errors import InputError
from mgsa.base.settings import Positive, Resamples, Seed, to_mapping
from pipeline.base.stage import stage, stage_outputs
from pipeline.base.tables import Row, write_csv
from pipeline.base.text import read_parallel

if TYPE_CHECKING:
    from pipeline.patterns.aligned_split import AlignedSplit
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


Texts = Mapping[str, Sequence[str]]
"""By system its translations of the same sentences, detokenised."""


def read_texts(
    references: Path, systems: Mapping[str, Path], split: AlignedSplit | None
) -> tuple[Sequence[str], Texts]:
    """The references, and the translations of all systems.

    Raises:
        InputError: as `read_parallel`, or the references are not those of `split`.
    """
    paths = [references, *systems.values()]
    others = split.sides if split is not None else []
    columns = list(zip(*read_parallel([*paths, *others]), strict=True))
    if split is not None:
        split.check_references(columns[0], references)
    return columns[0], dict(zip(systems, columns[1 : len(paths)], strict=True))


def score_tables(
    references: Sequence[str],
    texts: Texts,
    split: AlignedSplit | None,
    settings: PhrasalPatternsSettings,
) -> dict[str, Scores]:
    """The scores by n-gram; with a source, by length; with trees and links, by category.

    Raises:
        InputError: trees or links are malformed or not of the split.
    """
    import numpy as np

    from mgsa.analysis.bootstrap import Bootstrap
    from mgsa.analysis.ngrams import ngram_statistics
    from pipeline.patterns.categories import Translated, count_categories
    from pipeline.patterns.scores import category_scores, length_scores, ngram_scores

    count = partial(
        ngram_statistics, tokenizer=settings.bleu_tokenizer, max_ngram=settings.max_ngram
    )
    of_systems = [count(hypotheses, references) for hypotheses in texts.values()]
    statistics = np.stack(of_systems, axis=1)  # (N, S, 2 + 2 n_max)
    resamples = Bootstrap(len(references), settings.bootstrap_samples, settings.seed)
    tables = {"ngrams": ngram_scores(statistics, resamples)}
    if split is not None:
        lengths = np.array(split.source_lengths())
        tables["lengths"] = length_scores(statistics, lengths, settings.source_lengths, resamples)
        if split.trees is not None and split.links is not None:
            sizes = range(1, settings.max_category_ngram + 1)
            tokens = map(split.target_tokens, (references, *texts.values()))
            sentences = progress(
                zip(split.occurrences(sizes), *tokens, strict=True),
                "categories",
                total=len(references),
                unit="sentences",
                size=lambda _: 1,
            )
            translated = (Translated(ngrams, ref, rest) for ngrams, ref, *rest in sentences)
            counts = count_categories(translated, len(texts))
            tables["categories"] = category_scores(counts, resamples)
    return tables


def write_tables(tables: Mapping[str, Sequence[Row]], folder: Path, baseline: str | None) -> None:
    """Write each table as CSV, and as a figure."""
    from pipeline.patterns.figures import draw_categories, draw_lengths, draw_ngrams

    draw = {"ngrams": draw_ngrams, "lengths": draw_lengths, "categories": draw_categories}
    (folder / "figures").mkdir()
    for name, rows in tables.items():
        write_csv(rows, folder / f"{name}.csv")
        draw[name](rows, folder / "figures" / f"{name}.svg", baseline)


def report_of(
    tables: Mapping[str, Sequence[Row]],
    sentences: int,
    split: AlignedSplit | None,
    settings: PhrasalPatternsSettings,
) -> dict[str, Any]:
    """Scores by system, which DVC compares; then lists, which it ignores."""
    import sacrebleu

    from pipeline.patterns.categories import ALL

    systems: dict[str, dict[str, float]] = {}
    for row in tables["ngrams"]:
        systems.setdefault(row["system"], {})[f"{row['measure']}_{row['n']}"] = row["score"]
    for row in tables.get("categories", []):
        if row["category"] == ALL:
            systems[row["system"]][f"recall_{row['n']}"] = row["score"]
    links = split.links if split is not None else None
    recipe = {
        **to_mapping(settings),
        "links": None if links is None else str(links),
        "sacrebleu": sacrebleu.__version__,
    }
    return {
        "sentences": sentences,
        "systems": systems,
        "recipe": [recipe],
        "ngrams": list(tables["ngrams"]),
    }


def describe(rows: Sequence[Row], baseline: str | None) -> Iterator[str]:
    """A line for each system, for people: BLEU restricted to n, or its gain over a baseline."""
    of_systems: dict[str, list[str]] = {}
    for row in rows:
        if row["measure"] == "bleu":
            shown = f"{row['n']}: {row['score']:.2f}"
            if baseline is not None and row["system"] != baseline:
                shown = f"{row['n']}: {row['difference']:+.2f} (p = {row['p_value']:.4f})"
            of_systems.setdefault(row["system"], []).append(shown)
    for system, parts in of_systems.items():
        above = f" above {baseline}" if baseline not in (None, system) else ""
        yield f"{system}: BLEU restricted to n{above}: {', '.join(parts)}"


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
    from pipeline.patterns.scores import rows_of

    _check_baseline(baseline, list(system))
    aligned = _aligned_split(tokenized, split, trees, alignments)
    reference_texts, texts = read_texts(references, system, aligned)
    with stage_outputs(out, report) as (folder, metrics):
        scores = score_tables(reference_texts, texts, aligned, phrasal_patterns)
        tables = {
            name: rows_of(of_table, list(system), baseline) for name, of_table in scores.items()
        }
        write_tables(tables, folder, baseline)
        metrics.update(report_of(tables, len(reference_texts), aligned, phrasal_patterns))
    for line in describe(tables["ngrams"], baseline):
        print(line)


def _check_baseline(baseline: str | None, systems: Sequence[str]) -> None:
    if baseline is None:
        return
    if baseline not in systems:
        raise InputError(f"--baseline {baseline}: expected one of {', '.join(systems)}")
    if len(systems) == 1:
        raise InputError(f"--baseline {baseline}: expected another --system to compare with it")


def _aligned_split(
    tokenized: Path | None, split: str, trees: Path | None, alignments: Path | None
) -> AlignedSplit | None:
    """The source side, as far as it is given."""
    from pipeline.patterns.aligned_split import AlignedSplit, find_links

    if (trees is None) != (alignments is None):
        raise InputError("expected --trees and --alignments together")
    if tokenized is None:
        if trees is not None:
            raise InputError("--trees and --alignments: expected --tokenized too")
        return None
    links = None if alignments is None else find_links(alignments, tokenized, split)
    if alignments is not None and links is None:
        print(f"{alignments} has no links of {split}: no categories", file=sys.stderr)
    return AlignedSplit(tokenized, split, trees, links)


main = stage(score_patterns)

if __name__ == "__main__":
    sys.exit(run(main))
