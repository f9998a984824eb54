"""Stage `contrast`: log p of references and of their contrastive variants, and accuracies.

A corpus without contrasts has a table without rows, and a report that says so.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, zip_longest
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mgsa.cli.command import Input, Option, OutputFolder, Report
from mgsa.cli.errors import InputError
from mgsa.cli.progress import progress_bar
from mgsa.cli.run import run
from mgsa.data.controls import PHRASE_SOURCES, PhraseSource, read_rows
from mgsa.run_config import RunConfig
from pipeline.contrast.settings import ContrastSettings
from pipeline.formats.contrasts import Contrast, contrasts_of, is_contrast
from pipeline.formats.preprocessing import Preprocessing
from pipeline.formats.tables import Row, write_csv
from pipeline.formats.text import read_parallel, read_sentences
from pipeline.formats.trees import read_parse
from pipeline.partition import syntactic_partition, to_subwords
from pipeline.stage.command import stage, stage_outputs

if TYPE_CHECKING:
    from mgsa.data import batch
    from mgsa.data.dataset import Dataset
    from pipeline.encoder import SideEncoder
    from pipeline.tokenizers import Tokenizer


def check_rows(dataset: Dataset, split: str, source: Path) -> None:
    """Check that the rows of a split are the lines of the corpus's file."""
    texts = zip_longest(read_sentences(source), dataset.texts(split, "source_text"))
    for line, (text, row) in enumerate(texts, start=1):
        if text != row:
            message = f"expected the text of row {line - 1} of {split} in {dataset.folder}"
            raise InputError(f"{message}, none of whose pairs is dropped", path=source, line=line)


def check_variants(
    dataset: Dataset, split: str, contrasts: Mapping[int, Sequence[Contrast]], text: Tokenizer
) -> None:
    """Check that each variant (by line) has words, and other ones than its reference.

    Most words of them all are those of their references.
    """
    columns = (dataset.texts(split, f"target_{name}") for name in ("tokens", "text"))
    total = shared = 0
    for line, (reference, whole) in enumerate(zip(*columns, strict=True), start=1):
        for variant in contrasts.get(line, ()):
            words = text.tokenize(variant.target)
            tokens = " ".join(words)
            if tokens in ("", reference) or not is_contrast(variant.target, whole):
                message = f"contrast of pair {line}: expected other tokens than its reference's"
                raise InputError(f"{split}: {message}, got {tokens!r} of {variant.target!r}")
            total += len(words)
            shared += (Counter(words) & Counter(reference.split(" "))).total()
    if 2 * shared < total:
        found = f"{shared:,} of {total:,} words of its contrasts are their references'"
        raise InputError(f"{split}: {found}: expected variants of the lines named, counted from 1")


def gold_rows(
    dataset: Dataset, split: str, trees: Path, lines: Container[int]
) -> Iterator[batch.Row]:
    """The rows of `lines`, with phrases of other trees, without tags, which scores don't need.

    Raises:
        InputError: the trees are not as many as the sentences, or one of `lines` has other leaves.
    """
    levels = dataset.manifest.levels
    brackets = (text for text, _ in read_parallel([trees, trees.with_suffix(".source")]))
    columns = zip(brackets, dataset.texts(split, "source_tokens"), dataset.read(split), strict=True)
    for line, (text, tokens, row) in enumerate(columns, start=1):
        if line in lines:
            tree = read_parse(text, tokens, path=trees, tokens_path=dataset.folder, line=line)
            partitions = syntactic_partition(tree, levels)
            phrases = [to_subwords(level, row.subwords_per_word) for level in partitions]
            lengths = [[end - start for start, end, _ in level] for level in phrases]
            tags = [[0] * len(level) for level in lengths]
            yield replace(row, phrase_lengths=lengths, phrase_tags=tags)


def available(asked: Iterable[PhraseSource], parser: str, trees: Path) -> list[PhraseSource]:
    """The kinds of phrases asked for: gold ones only of trees that the dataset's are not.

    An `InputError` is raised if none is left.
    """
    other = trees.is_file() and parser != "trees"
    kinds = [kind for kind in dict.fromkeys(asked) if other or kind != "gold"]
    if not kinds:
        raise InputError("gold: expected trees other than the dataset's", path=trees)
    return kinds


def parse_verdicts(parsed: Iterable[batch.Row], gold: Iterable[batch.Row]) -> dict[int, str]:
    """`right` or `wrong`, as the parse has a gold row's phrases or not, by the row's line."""
    phrases = {row.index: row.phrase_lengths for row in gold}
    return {
        row.index + 1: "right" if row.phrase_lengths == phrases[row.index] else "wrong"
        for row in parsed
        if row.index in phrases
    }


def with_variants(
    rows: Iterable[batch.Row],
    contrasts: Mapping[int, Sequence[Contrast]],
    encoder: SideEncoder,
    text: Tokenizer,
) -> Iterator[batch.Row]:
    """Yield each row that has contrasts (by line): with its reference, then with the variants."""
    for row in rows:
        variants = contrasts.get(row.index + 1, ())
        if variants:
            yield row
        for variant in variants:
            ids, counts = encoder.encode(text.tokenize(variant.target))
            yield replace(row, target=ids, target_subwords_per_word=counts, links=None)


def add_scores(table: Sequence[Row], kind: str, scores: Iterator[float]) -> None:
    """Add the columns of a kind of phrases; `scores` are those of `with_variants`."""
    for _, of_pair in groupby(table, itemgetter("line")):
        reference = round(next(scores), 6)
        for row in of_pair:
            row |= {f"{kind}_reference": reference, f"{kind}_variant": round(next(scores), 6)}


def score_contrasts(
    contrast: ContrastSettings,
    run: RunConfig,
    *,
    model: Annotated[Path, Input("model artifact")],
    dataset: Annotated[Path, Input("dataset artifact, made of the corpus")],
    corpus: Annotated[Path, Input("raw text, with contrasts in NAME.contrast", kind="raw text")],
    contrasts: Annotated[
        Path | None, Input("other contrasts, of pipeline.contrast.reorder", "DIR")
    ] = None,
    split: Annotated[str, Option("no pair of which was dropped", "NAME")],
    phrases: Annotated[
        list[PhraseSource] | None,
        Option(
            f"what the model is given as phrases, each in turn: {', '.join(PHRASE_SOURCES)}; gold "
            "if the corpus brings trees, which were not taken (default: parsed, and for a model "
            "that attends to none, or a dataset of shuffled or random phrases)",
            "KIND",
        ),
    ] = None,
    baseline: Annotated[
        Path | None, Input("NAME.csv of another system, to compare with", "FILE")
    ] = None,
    out: Annotated[
        Path, OutputFolder("for NAME.csv, log p of each contrast", "contrastive scores of {split}")
    ],
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """How often a model finds references likelier than variants with one known error.

    Beside its accuracy stand those of the most frequent category and of a classifier of words, if
    the corpus has contrasts of train.
    """
    from mgsa.data.dataset import open_dataset
    from mgsa.decoding.opened import OpenedModel
    from pipeline.contrast.accuracies import (
        ABOUT,
        accuracies,
        compared_kind,
        comparison,
        is_right,
        read_scores,
    )
    from pipeline.contrast.words import baselines
    from pipeline.encoder import Encoder
    from pipeline.tokenizers.side import side_text

    opened = open_dataset(dataset)
    check_rows(opened, split, corpus / f"{split}.source")
    variants = contrasts_of(corpus, split, contrasts)
    by_line = {line: list(group) for line, group in groupby(variants, attrgetter("line"))}
    table: list[Row] = [{name: getattr(one, name) for name in ABOUT} for one in variants]
    others = [] if baseline is None else read_scores(baseline, same=table)
    scorer = OpenedModel.load(model, accelerator=run.accelerator, workers=run.workers)
    scorer.check_dataset(opened)
    kinds: list[PhraseSource] = ["parsed"]
    trees = corpus / f"{split}.trees"
    made = Preprocessing.read(dataset)
    encoder, text = Encoder.load(model).target, side_text(model, "target")
    source = side_text(model, "source").tokenize
    check_variants(opened, split, by_line, text)
    if phrases and scorer.levels and made.partition.boundaries == "parsed":
        kinds = available(phrases, made.parser.kind, trees)
    by_words = baselines(corpus, split, variants, source, contrasts)
    compared = compared_kind(others, kinds[0], baseline) if baseline else ""
    with progress_bar(
        f"score {split}", total=len(kinds) * (len(by_line) + len(variants)), unit="targets"
    ) as advance:
        for kind in kinds:
            if kind == "gold":
                rows = gold_rows(opened, split, trees, by_line)
            else:
                rows = read_rows(opened, split, kind)
            targets = with_variants(rows, by_line, encoder, text)
            scores = scorer.score(targets, batch_tokens=contrast.batch_tokens, advance=advance)
            add_scores(table, kind, scores)
    about = list(ABOUT)
    if "gold" in kinds:
        verdicts = parse_verdicts(opened.read(split), gold_rows(opened, split, trees, by_line))
        about.append("parse")
        for row in table:
            row["parse"] = verdicts[row["line"]]
    with stage_outputs(out, report) as (folder, metrics):
        columns = [f"{kind}_{text}" for kind in kinds for text in ("reference", "variant")]
        write_csv(table, folder / f"{split}.csv", [*about, *columns])
        metrics["contrasts"] = len(table)
        if table:
            right: dict[str, list[bool]] = {}
            right |= {kind: [is_right(row, kind) for row in table] for kind in kinds}
            right |= by_words
            samples, seed = contrast.bootstrap_samples, contrast.seed
            metrics.update(accuracies(table, right, samples=samples, seed=seed))
        if others:
            trials = contrast.randomization_trials
            metrics[kinds[0]] |= comparison(
                table, others, compared, trials=trials, seed=contrast.seed
            )


main = stage(score_contrasts)

if __name__ == "__main__":
    sys.exit(run(main))
