"""Stage `probe_data`: sentences with labels of their trees, to probe what an encoder knows.

The tasks are those of Shi et al. 2016 (`pipeline.probing.labels`), sizes and splits those of Hao et
al. 2019, section 4.4: 120,000 sentences, 10 to train on for each one to validate and to test on. No
text is in two splits. Of a corpus's sentences, an encoder sees the phrases that it would translate
them by, the parser's, whichever trees their labels are of. Classes are those of the training split:
what it lacks is of the class `OTHER`, which no probe learns, so it counts as a mistake.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from mgsa.base.cli import progress, run
from mgsa.base.command import Input, OutputFolder, Reads, Report
from mgsa.base.io import MANIFEST, describe_files, sha256, write_json
from mgsa.base.settings import Positive, Seed, to_mapping
from pipeline.base.stage import SPLITS, stage, stage_outputs
from pipeline.base.text import split_tokens
from pipeline.dataset.manifest import LIBRARIES, library_versions
from pipeline.probing.sentences import ProbeSentence, SentenceFiles, draw_splits
from pipeline.trees import check_leaves, read_tree

if TYPE_CHECKING:
    from nltk.tree import Tree

    from mgsa.data.dataset import Dataset
    from pipeline.probing.labels import TreeLabels
    from pipeline.probing.rows import SentenceEncoder

TRAIN = SPLITS[0]
FILES = (*(f"{split}.parquet" for split in SPLITS), "*.json")

ROW_GROUP_ROWS = 10_000
"""Sentences that are encoded together."""

VERBS_LANGUAGE = "en"
"""The language whose verbs there are patterns of; other sentences have neither voice nor tense."""


@dataclass(frozen=True)
class ProbeDataSettings:
    """What probes learn from, and are tested on.

    Attributes:
        trees: whose labels: `parsed`: the parser's trees of the training split; `gold`: those that
            the corpus brought for it; anything else: a file of bracketed trees, with their words.
        sentences: the most to take; of fewer different ones, all.
        shares: of train, valid and test; what division leaves over is train's.
        tss_classes: the most frequent top-level syntactic sequences; the others share one more.
        seed: of the choice of sentences.
    """

    trees: Annotated[str, Reads()]
    sentences: Positive
    shares: tuple[Positive, ...]
    tss_classes: Positive
    seed: Seed

    def __post_init__(self) -> None:
        if len(self.shares) != 3:
            raise ValueError(f"shares: expected those of train, valid, test, got {self.shares}")


Classes = Mapping[str, Sequence[str]]
"""The names of each task's classes, by id."""


def build_probe_data(
    dataset: Dataset, files: SentenceFiles, settings: ProbeDataSettings, folder: Path
) -> dict[str, Any]:
    """Fill `folder` with probing data, and give its counts.

    Args:
        dataset: whose subwords and tags the sentences get.
        files: of the sentences.

    Raises:
        InputError: a file is malformed, or a tree doesn't fit its sentence.
    """
    from mgsa.data.schema import LABELS, TAGS, VOCABULARY
    from mgsa.probing.data import PROBING
    from pipeline.probing.rows import SentenceEncoder

    encoder = SentenceEncoder(dataset, files)
    language = dataset.manifest.source_language
    drawn = draw_splits(
        files.sentences(language),
        most=settings.sentences,
        shares=settings.shares,
        seed=settings.seed,
    )
    labels = label_splits(drawn.splits, files, language)
    classes = choose_classes(labels[TRAIN], settings.tss_classes)
    counts = {
        split: _write_split(
            folder / f"{split}.parquet", drawn.splits[split], labels[split], classes, encoder
        )
        for split in SPLITS
    }
    write_json(folder / LABELS, classes)
    for name in (VOCABULARY, TAGS):
        shutil.copyfile(dataset.folder / name, folder / name)
    manifest = {
        "kind": PROBING.name,
        "schema_version": PROBING.version,
        "name": dataset.manifest.name,
        "source_language": language,
        "target_language": dataset.manifest.target_language,
        "levels": dataset.manifest.levels,
        "splits": {
            split: {"rows": of_split["sentences"], "links": 0, "files": [f"{split}.parquet"]}
            | of_split
            for split, of_split in counts.items()
        },
        "files": describe_files(folder),
        "made_by": {
            "parameters": {"probe_data": to_mapping(settings)},
            "dataset": dataset.manifest.identity,
            "trees": sha256(files.trees),
            "libraries": library_versions((*LIBRARIES, "spacy")),
        },
    }
    write_json(folder / MANIFEST, manifest)
    return {
        "read": drawn.read,
        "duplicates": drawn.duplicates,
        "flat": drawn.flat,
        "sentences": sum(map(len, drawn.splits.values())),
        **counts,
    }


def label_splits(
    splits: Mapping[str, Sequence[ProbeSentence]], files: SentenceFiles, language: str
) -> dict[str, list[TreeLabels]]:
    """The labels of all sentences, each of which is checked to have the words of its tree.

    Raises:
        InputError: a tree is malformed, or of other words.
    """
    from pipeline.probing.labels import label_tree
    from pipeline.probing.voice_and_tense import VerbPatterns

    verbs = VerbPatterns() if language == VERBS_LANGUAGE else None
    labels = {}
    for split, sentences in splits.items():
        shown = progress(
            sentences, f"label {split}", total=len(sentences), unit="sentences", size=lambda _: 1
        )
        labels[split] = [label_tree(_tree_of(sentence, files), verbs) for sentence in shown]
    return labels


def _tree_of(sentence: ProbeSentence, files: SentenceFiles) -> Tree:
    tokens = split_tokens(sentence.tokens, path=files.tokens, line=sentence.line)
    tree = read_tree(sentence.tree, path=files.trees, line=sentence.line)
    check_leaves(tree, tokens, path=files.trees, line=sentence.line)
    return tree


def choose_classes(labels: Sequence[TreeLabels], tss_classes: int) -> dict[str, tuple[str, ...]]:
    """The classes of each task, by the labels of the training split."""
    from pipeline.probing.labels import frequent_classes
    from pipeline.probing.voice_and_tense import TENSES, VOICES

    sequences = Counter(label.tss for label in labels)
    phrases = Counter(name for label in labels for name in label.spc)
    tags = Counter(name for label in labels for name in label.pos)
    return {
        "voice": VOICES,
        "tense": TENSES,
        "tss": frequent_classes(sequences, tss_classes),
        "spc": frequent_classes(phrases),
        "pos": frequent_classes(tags),
    }


def _write_split(
    path: Path,
    sentences: Sequence[ProbeSentence],
    labels: Sequence[TreeLabels],
    classes: Classes,
    encoder: SentenceEncoder,
) -> dict[str, Any]:
    """Write a split's Parquet file; its counts."""
    import pyarrow.parquet as pq

    from mgsa.probing.data import SCHEMA
    from pipeline.probing.rows import count_classes, make_table

    subwords = 0
    with pq.ParquetWriter(path, SCHEMA, compression="zstd", version="2.6") as writer:
        for start in range(0, len(sentences), ROW_GROUP_ROWS):
            portion = slice(start, start + ROW_GROUP_ROWS)
            rows = encoder.encode(sentences[portion])
            table = make_table(rows, labels[portion], classes)
            writer.write_table(table, row_group_size=ROW_GROUP_ROWS)
            subwords += sum(row["source_length"] for row in rows)
    return {
        "sentences": len(sentences),
        "words": sum(len(label.pos) for label in labels),
        "subwords": subwords,
        **count_classes(labels, classes),
    }


def make_probe_data(
    probe_data: ProbeDataSettings,
    *,
    parsed: Annotated[Path, Input("parse's output")],
    tokenized: Annotated[Path, Input("the tokens parsed, and gold trees if the corpus has any")],
    dataset: Annotated[Path, Input("the dataset artifact whose subwords and tags are used")],
    out: Annotated[Path, OutputFolder("probing data", *FILES)],
    report: Annotated[Path | None, Report("counts (JSON)")] = None,
) -> None:
    """Label sentences by their trees, for probes."""
    from mgsa.data.dataset import open_dataset

    files = SentenceFiles.of(probe_data.trees, parsed=parsed, tokenized=tokenized, split=TRAIN)
    opened = open_dataset(dataset)
    with stage_outputs(out, report) as (folder, metrics):
        metrics.update(build_probe_data(opened, files, probe_data, folder))
    sizes = ", ".join(f"{metrics[split]['sentences']:,} {split}" for split in SPLITS)
    print(
        f"probe_data: {sizes}, of {metrics['read']:,} sentences "
        f"({metrics['duplicates']:,} duplicates, {metrics['flat']:,} with flat trees)",
        file=sys.stderr,
    )


main = stage(make_probe_data)

if __name__ == "__main__":
    sys.exit(run(main))
