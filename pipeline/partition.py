"""Partition: a sentence cut into phrases, by n-grams or by the levels of its tree.

A partition covers the sentence once, in order, without overlap. Level 1 of the syntactic partition
is the children of the tree's top node (its wrapper stripped); level k + 1 puts in place of each
phrase of level k its node's children, a preterminal staying as it is. A top node that is itself a
preterminal is the one phrase of every level (Hao et al. 2019, section 3.2 and figure 1).

The stage writes `{split}.phrases`, one sentence a line: levels between ` ||| `, phrases between
spaces, a phrase as `LENGTH:TAG`, its length in words and its node's label without function and
index: `1:NP 5:VP ||| 1:NNP 1:VBD 2:NP 2:PP`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate, groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from mgsa.cli.command import Input, OutputFolder, Report
from mgsa.cli.outputs import atomic_folder
from mgsa.cli.progress import progress
from mgsa.cli.run import run
from mgsa.cli.workers import map_chunks
from mgsa.data.controls import apply_control
from mgsa.run_config import RunConfig
from pipeline.formats.phrases import PartitionSettings, Phrase, consecutive, write_phrases_line
from pipeline.formats.tables import write_csv
from pipeline.formats.text import SPLITS, files_to_write, read_splits
from pipeline.formats.trees import children, plain_label, read_parse, read_tree, top_node
from pipeline.stage.command import stage, stage_outputs

if TYPE_CHECKING:
    from nltk.tree import Tree

__all__ = ["Phrase", "ngram_partition", "syntactic_partition", "to_subwords"]

SENTENCES_PER_CHUNK = 2500


def ngram_partition(length: int, n: int) -> list[Phrase]:
    """N-grams of `length` positions, from the left; the last may be shorter."""
    if n < 1 or length < 0:
        raise ValueError(f"expected n of at least 1 and a length of at least 0: {n}, {length}")
    return [Phrase(start, min(start + n, length), None) for start in range(0, length, n)]


def syntactic_partition(tree: Tree | str, levels: int) -> list[list[Phrase]]:
    """The phrases of levels 1 to `levels` of a tree, in words.

    Raises:
        InputError: `tree` is text and not one bracketed tree.
    """
    if levels < 1:
        raise ValueError(f"expected at least 1 level, got {levels}")
    nodes = [top_node(read_tree(tree) if isinstance(tree, str) else tree)]
    partitions = []
    for _ in range(levels):
        nodes = [child for node in nodes for child in children(node) or [node]]
        lengths = [len(node.leaves()) for node in nodes]
        partitions.append(consecutive(lengths, [plain_label(node.label()) for node in nodes]))
    return partitions


def partition_tree(
    tree: Tree, settings: PartitionSettings, *, split: str, line: int, rates: Sequence[float] = ()
) -> list[list[Phrase]]:
    """The phrases of every level; `random` ones need the `cut_rates` of the split."""
    partitions = syntactic_partition(tree, settings.levels)
    if settings.boundaries == "parsed":
        return partitions
    levels = apply_control(
        [([end - start for start, end, _ in p], [tag for _, _, tag in p]) for p in partitions],
        settings.boundaries,
        rates=rates,
        seed=settings.seed,
        split=split,
        line=line,
    )
    return [consecutive(lengths, tags) for lengths, tags in levels]


def cut_rates(trees: Iterable[Tree], levels: int) -> list[float]:
    """The share of places between two words where a phrase ends, by level."""
    places, cuts = 0, [0] * levels
    for tree in trees:
        partitions = syntactic_partition(tree, levels)
        places += partitions[0][-1].end - 1
        cuts = [count + len(p) - 1 for count, p in zip(cuts, partitions, strict=True)]
    return [count / max(places, 1) for count in cuts]


def to_subwords(phrases: Sequence[Phrase], subwords_per_word: Sequence[int]) -> list[Phrase]:
    """Map phrases from word to subword positions.

    Raises:
        ValueError: the counts are not one for each word, or one is below 1.
    """
    if min(subwords_per_word, default=1) < 1:
        raise ValueError("expected at least 1 subword for every word")
    covered = phrases[-1].end if phrases else 0
    if covered != len(subwords_per_word):
        raise ValueError(f"phrases cover {covered} words: expected {len(subwords_per_word)}")
    bounds = [0, *accumulate(subwords_per_word)]
    return [Phrase(bounds[start], bounds[end], tag) for start, end, tag in phrases]


PhraseCounts = Counter[tuple[int, int, str | None]]
"""Counts of phrases by level, length and tag; level 0 is the sentence itself."""


def phrase_report(counts: PhraseCounts, *, ngrams: Sequence[int]) -> dict[str, float]:
    """Sentences, words, mean phrases a sentence, mean words a phrase."""
    lengths = {length: count for (level, length, _), count in counts.items() if level == 0}
    sentences = sum(lengths.values())
    words = sum(length * count for length, count in lengths.items())
    phrases: Counter[str] = Counter()
    for n in ngrams:
        phrases[f"ngram_{n}"] = sum(-(-length // n) * count for length, count in lengths.items())
    for (level, _, _), count in sorted(counts.items(), key=lambda item: item[0][0]):
        if level:
            phrases[f"syntactic_{level}"] += count
    return {
        "sentences": sentences,
        "words": words,
        "words_per_sentence": round(words / sentences, 4),
        **{f"phrases_per_sentence_{k}": round(v / sentences, 4) for k, v in phrases.items()},
        **{f"words_per_phrase_{k}": round(words / v, 4) for k, v in phrases.items()},
        "tags": len({tag for level, _, tag in counts if level}),
    }


def write_plots(counts: PhraseCounts, folder: Path) -> None:
    """Write `phrase_lengths.csv` and `tags.csv`: counts by level and length, or tag."""
    for file, column, place in (("phrase_lengths.csv", "length", 1), ("tags.csv", "tag", 2)):
        table: Counter[tuple[int, Any]] = Counter()
        for phrase, count in counts.items():
            if phrase[0]:
                table[phrase[0], phrase[place]] += count
        rows = [{"level": k, column: v, "count": count} for (k, v), count in sorted(table.items())]
        write_csv(rows, folder / file)


def _tree(parsed: Path, tokenized: Path, split: str, line: int, texts: Sequence[str]) -> Tree:
    brackets, text = texts
    path, tokens_path = parsed / f"{split}.trees", tokenized / f"{split}.source"
    return read_parse(brackets, text, path=path, tokens_path=tokens_path, line=line)


def _partition(
    settings: PartitionSettings,
    rates: Mapping[str, Sequence[float]],
    parsed: Path,
    tokenized: Path,
    sentences: Sequence[tuple[str, int, tuple[str, ...]]],
) -> tuple[list[tuple[str, str]], PhraseCounts]:
    """Split, `.phrases` line and counts of each sentence."""
    lines = []
    counts: PhraseCounts = Counter()
    for split, line, texts in sentences:
        tree = _tree(parsed, tokenized, split, line, texts)
        of_split = rates.get(split, ())
        partitions = partition_tree(tree, settings, split=split, line=line, rates=of_split)
        lines.append((split, write_phrases_line(partitions)))
        counts[0, partitions[0][-1].end, None] += 1
        for level, phrases in enumerate(partitions, start=1):
            counts.update([(level, end - start, tag) for start, end, tag in phrases])
    return lines, counts


def partition_trees(
    partition: PartitionSettings,
    run: RunConfig,
    *,
    parsed: Annotated[Path, Input("trees", kind="trees")],
    tokenized: Annotated[Path, Input("tokenised text", kind="tokenised text")],
    out: Annotated[Path, OutputFolder("phrases", "phrases")],
    plots: Annotated[Path, OutputFolder("counts (CSV)", "phrase counts")],
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Cut parsed sentences into phrases with tags."""
    columns = ((parsed, "trees"), (tokenized, "source"))
    rates = {}
    if partition.boundaries == "random":
        for split, sentences in groupby(read_splits(*columns), key=itemgetter(0)):
            trees = (_tree(parsed, tokenized, *sentence) for sentence in sentences)
            rates[split] = cut_rates(trees, partition.levels)
    results = map_chunks(
        partial(_partition, partition, rates, parsed, tokenized),
        read_splits(*columns),
        workers=run.workers,
        chunk_size=SENTENCES_PER_CHUNK,
    )
    counts: PhraseCounts = Counter()
    with (
        atomic_folder(plots) as plots_folder,
        stage_outputs(out, report) as (folder, metrics),
        files_to_write(folder, [f"{split}.phrases" for split in SPLITS]) as files,
    ):
        for lines, counted in progress(
            results, "partition", total=None, unit="sentences", size=lambda result: len(result[0])
        ):
            for split, phrases in lines:
                files[f"{split}.phrases"].write(f"{phrases}\n")
            counts.update(counted)
        write_plots(counts, plots_folder)
        metrics.update(phrase_report(counts, ngrams=partition.ngrams))


main = stage(partition_trees)

if __name__ == "__main__":
    sys.exit(run(main))
