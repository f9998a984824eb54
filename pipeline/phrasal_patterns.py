"""Which n-grams systems get right: by size, by source length, by syntactic category of the source.

After Hao et al. 2019, figure 2: n-gram precision and BLEU restricted to n (see
`mgsa.analysis.ngrams`) of one system or several, over text as sacreBLEU tokenises it.
Beyond the paper the same for sentences of like source lengths, and how many n-grams of references
the translations have, by the category of the source phrase that they are aligned to (see
`pipeline.patterns.source_phrases`): recall, as only references are aligned. Trees and links are
over the pipeline's tokens, so there text is tokenised as the stage `tokenize` does. The same
resamples are behind all intervals and tests.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mgsa.base.cli import progress, run
from mgsa.base.errors import InputError
from mgsa.base.settings import to_mapping
from pipeline.analysis_settings import PhrasalPatternsSettings
from pipeline.base.stage import argument_parser, atomic_outputs, named_paths, read_settings
from pipeline.base.text import read_parallel
from pipeline.patterns.aligned_split import AlignedSplit, find_links

if TYPE_CHECKING:
    from pipeline.patterns.category_counts import Translated
    from pipeline.patterns.tables import Row, Scores

MARK = "ngrams.csv"


@dataclass(frozen=True)
class Texts:
    """References, and by system what it made of the same sentences; all detokenised."""

    references: Sequence[str]
    hypotheses: Mapping[str, Sequence[str]]


def read_texts(references: Path, systems: Mapping[str, Path], split: AlignedSplit | None) -> Texts:
    """The texts of all systems.

    Raises:
        InputError: as `read_parallel`, or the references are not those of `split`.
    """
    paths = [references, *systems.values()]
    others = split.sides if split is not None else []
    columns = list(zip(*read_parallel([*paths, *others]), strict=True))
    texts = Texts(columns[0], dict(zip(systems, columns[1 : len(paths)], strict=True)))
    if split is not None:
        split.check_references(texts.references, references)
    return texts


def score_tables(
    texts: Texts, split: AlignedSplit | None, settings: PhrasalPatternsSettings
) -> dict[str, Scores]:
    """The scores by n-gram, and as far as there is a source to go by, by length and category.

    Raises:
        InputError: trees or links are malformed or not of the split.
    """
    import numpy as np

    from mgsa.analysis.bootstrap import Resamples
    from mgsa.analysis.ngrams import ngram_statistics
    from pipeline.patterns.category_counts import count_categories
    from pipeline.patterns.tables import category_scores, length_scores, ngram_scores

    statistics = [
        ngram_statistics(
            hypotheses,
            texts.references,
            tokenizer=settings.bleu_tokenizer,
            max_ngram=settings.max_ngram,
        )
        for hypotheses in texts.hypotheses.values()
    ]
    of_systems = np.stack(statistics, axis=1)  # (N, S, 2 + 2 n_max)
    resamples = Resamples(len(texts.references), settings.bootstrap_samples, settings.seed)
    tables = {"ngrams": ngram_scores(of_systems, resamples)}
    if split is not None:
        lengths = np.array(split.source_lengths())
        tables["lengths"] = length_scores(of_systems, lengths, settings.source_lengths, resamples)
        if split.trees is not None and split.links is not None:
            sentences = aligned_sentences(texts, split, settings.max_category_ngram)
            counts = count_categories(sentences, len(statistics))
            tables["categories"] = category_scores(counts, resamples)
    return tables


def aligned_sentences(texts: Texts, split: AlignedSplit, max_ngram: int) -> Iterator[Translated]:
    """Each sentence in tokens, with its n-grams and their categories."""
    from pipeline.patterns.category_counts import Translated

    tokens = map(split.target_tokens, (texts.references, *texts.hypotheses.values()))
    sentences = zip(split.occurrences(range(1, max_ngram + 1)), *tokens, strict=True)
    shown = progress(
        sentences,
        "categories",
        total=len(texts.references),
        unit="sentences",
        size=lambda _: 1,
    )
    for found, reference, *hypotheses in shown:
        yield Translated(found, reference, hypotheses)


def write_tables(tables: Mapping[str, Sequence[Row]], folder: Path, baseline: str | None) -> None:
    """Write each table as CSV, and as a figure."""
    from pipeline.patterns.figures import draw_categories, draw_lengths, draw_ngrams
    from pipeline.patterns.tables import write_csv

    draw = {"ngrams": draw_ngrams, "lengths": draw_lengths, "categories": draw_categories}
    (folder / "figures").mkdir()
    for name, rows in tables.items():
        write_csv(rows, folder / f"{name}.csv")
        draw[name](rows, folder / "figures" / f"{name}.svg", baseline)


def report_of(
    tables: Mapping[str, Sequence[Row]],
    texts: Texts,
    split: AlignedSplit | None,
    settings: PhrasalPatternsSettings,
) -> dict[str, Any]:
    """Scores by system, which DVC compares; then, as lists, which it leaves out, all the rest."""
    import sacrebleu

    from pipeline.patterns.category_counts import ALL

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
        "sentences": len(texts.references),
        "systems": systems,
        "recipe": [recipe],
        "ngrams": list(tables["ngrams"]),
    }


def describe(rows: Sequence[Row], baseline: str | None) -> Iterator[str]:
    """A line for each system, for people: BLEU restricted to n, or what it is above a baseline."""
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


def main(argv: Sequence[str] | None = None) -> None:
    """Score n-grams, write tables and figures."""
    arguments = _arguments(argv)
    settings = read_settings(arguments, "phrasal_patterns", PhrasalPatternsSettings)
    systems = named_paths("--system", arguments.system, "FILE")
    _check_baseline(arguments.baseline, list(systems))
    split = _split(arguments)
    texts = read_texts(arguments.references, systems, split)
    of_source = (arguments.tokenized, arguments.trees, arguments.alignments)
    given = [path for path in of_source if path is not None]
    read = [arguments.references, *systems.values(), *given]
    with atomic_outputs(arguments.out, arguments.report, MARK, inputs=read) as (folder, report):
        from pipeline.patterns.tables import rows_of

        scores = score_tables(texts, split, settings)
        tables = {
            name: rows_of(of_table, list(systems), arguments.baseline)
            for name, of_table in scores.items()
        }
        write_tables(tables, folder, arguments.baseline)
        report.update(report_of(tables, texts, split, settings))
    for line in describe(tables["ngrams"], arguments.baseline):
        print(line)


def _check_baseline(baseline: str | None, systems: Sequence[str]) -> None:
    if baseline is None:
        return
    if baseline not in systems:
        raise InputError(f"--baseline {baseline}: expected one of {', '.join(systems)}")
    if len(systems) == 1:
        raise InputError(f"--baseline {baseline}: expected another --system to compare with it")


def _split(arguments: argparse.Namespace) -> AlignedSplit | None:
    """The source side, as far as it is given."""
    if arguments.tokenized is None:
        return None
    links = None
    if arguments.alignments is not None:
        links = find_links(arguments.alignments, arguments.tokenized, arguments.split)
        if links is None:
            print(
                f"{arguments.alignments} has no links of {arguments.split}: no categories",
                file=sys.stderr,
            )
    return AlignedSplit(arguments.tokenized, arguments.split, arguments.trees, links)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argument_parser(
        "phrasal_patterns",
        "n-gram precision and BLEU restricted to n of one system or several, with differences to "
        "a baseline; also by source length, and recall by syntactic category of the source.",
    )
    parser.add_argument(
        "--references", type=Path, required=True, metavar="FILE", help="detokenised"
    )
    parser.add_argument(
        "--system",
        action="append",
        required=True,
        metavar="NAME=FILE",
        help="its translations, detokenised; may be repeated",
    )
    parser.add_argument("--baseline", metavar="NAME", help="the system to compare the others with")
    parser.add_argument(
        "--tokenized",
        type=Path,
        metavar="DIR",
        help="tokenised text, for scores by source length",
    )
    parser.add_argument(
        "--split", default="test", metavar="NAME", help="of the tokenised text (default: test)"
    )
    parser.add_argument(
        "--trees",
        type=Path,
        metavar="FILE",
        help="of its source side; with --alignments, for recall by category",
    )
    parser.add_argument(
        "--alignments",
        type=Path,
        metavar="FILE|DIR",
        help="links of its words (0-0 1-2), or the folder of the stage align, in whose place gold "
        "links are taken where --tokenized has them",
    )
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help=f"for {MARK}, … and figures"
    )
    parser.add_argument(
        "--report", type=Path, required=True, metavar="FILE", help="scores, as JSON"
    )
    arguments = parser.parse_args(argv)
    if (arguments.trees is None) != (arguments.alignments is None):
        parser.error("--trees and --alignments come together")
    if arguments.trees is not None and arguments.tokenized is None:
        parser.error("--trees and --alignments need --tokenized")
    return arguments


if __name__ == "__main__":
    sys.exit(run(main))
