"""Probing data from sentences with trees: splits, labels, classes, rows, manifest."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mgsa.base.cli import progress
from mgsa.base.errors import InputError
from mgsa.base.io import MANIFEST, describe_files, read_json, sha256, write_json
from mgsa.base.settings import from_excerpt, to_mapping
from mgsa.data.dataset import Dataset
from mgsa.data.schema import LABELS, PREPROCESSING, TAGS, VOCABULARY
from mgsa.probing.data import OTHER, PROBING, SCHEMA, SENTENCE_TASKS, TASKS
from pipeline.base.stage import SPLITS
from pipeline.base.text import split_tokens
from pipeline.dataset.manifest import LIBRARIES, library_versions
from pipeline.dataset.preprocessor import Encoder, check_length
from pipeline.partition import PartitionSettings, partition_sentence
from pipeline.probing.labels import TreeLabels, frequent_classes, label_tree
from pipeline.probing.sentences import ProbeSentence, SentenceFiles, draw_splits
from pipeline.probing.voice_and_tense import TENSES, VOICES, VerbPatterns
from pipeline.tokens.trees import check_leaves, read_tree

if TYPE_CHECKING:
    from pipeline.probe_data import ProbeDataSettings

TRAIN = SPLITS[0]
ROW_GROUP_ROWS = 10_000

VERBS_LANGUAGE = "en"
"""Sentences of other languages get neither voice nor tense."""

Classes = Mapping[str, Sequence[str]]
"""The names of each task's classes, by id."""


def build_probe_data(
    dataset: Dataset, files: SentenceFiles, settings: ProbeDataSettings, folder: Path
) -> dict[str, Any]:
    """Fill `folder` with probing data, and return counts.

    Args:
        dataset: gives subwords and tags.

    Raises:
        InputError: a file is malformed, a tree has other words than its sentence, or the dataset
            has no source phrases.
    """
    rows = RowEncoder(dataset, files)
    language = dataset.manifest.source_language
    drawn = draw_splits(
        files.sentences(language),
        most=settings.sentences,
        shares=settings.shares,
        seed=settings.seed,
    )
    labels = label_splits(drawn.splits, files, language)
    classes = choose_classes(labels[TRAIN], settings.tss_classes)
    counts = {}
    for split, sentences in drawn.splits.items():
        table = rows.table(sentences, labels[split], classes)
        path = folder / f"{split}.parquet"
        pq.write_table(
            table, path, row_group_size=ROW_GROUP_ROWS, compression="zstd", version="2.6"
        )
        counts[split] = count_labels(table, classes)
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
            split: {"rows": n["sentences"], "links": 0, "files": [f"{split}.parquet"], **n}
            for split, n in counts.items()
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
    """The labels of all sentences.

    Raises:
        InputError: a tree is malformed, or of other words than its sentence.
    """
    verbs = VerbPatterns() if language == VERBS_LANGUAGE else None
    labels: dict[str, list[TreeLabels]] = {}
    for split, sentences in splits.items():
        labels[split] = []
        for line, text, bracketed, _ in progress(
            sentences, f"label {split}", total=len(sentences), unit="sentences", size=lambda _: 1
        ):
            tokens = split_tokens(text, path=files.tokens, line=line)
            tree = read_tree(bracketed, path=files.trees, line=line)
            check_leaves(tree, tokens, path=files.trees, line=line)
            labels[split].append(label_tree(tree, verbs))
    return labels


def choose_classes(labels: Sequence[TreeLabels], tss_classes: int) -> dict[str, tuple[str, ...]]:
    """The classes of each task, by the labels of the training split."""
    return {
        "voice": VOICES,
        "tense": TENSES,
        "tss": frequent_classes(Counter(label.tss for label in labels), tss_classes),
        "spc": frequent_classes(Counter(name for label in labels for name in label.spc)),
        "pos": frequent_classes(Counter(name for label in labels for name in label.pos)),
    }


class RowEncoder:
    """Sentences to rows like those of a dataset, with labels."""

    def __init__(self, dataset: Dataset, files: SentenceFiles) -> None:
        """
        Raises:
            InputError: the dataset has no source phrases (it was reversed), or lacks a file.
        """
        if not dataset.manifest.levels:
            raise InputError(
                "expected a dataset whose source has phrases, got one that was turned round",
                path=dataset.folder,
            )
        path = dataset.folder / PREPROCESSING
        self._encoder = Encoder.load(dataset.folder)
        partition = read_json(path)["partition"]
        self._partition = from_excerpt(PartitionSettings, partition, f"{path}: partition")
        self._files = files

    def table(
        self, sentences: Sequence[ProbeSentence], labels: Sequence[TreeLabels], classes: Classes
    ) -> pa.Table:
        """A row for each sentence.

        Raises:
            InputError: a tree of phrases is malformed or of other words, or a sentence too long.
        """
        ids = {task: {name: i for i, name in enumerate(names)} for task, names in classes.items()}
        portions = [SCHEMA.empty_table()]
        for start in range(0, len(sentences), ROW_GROUP_ROWS):
            portion = slice(start, start + ROW_GROUP_ROWS)
            rows = zip(self._encode(sentences[portion]), labels[portion], strict=True)
            labelled = [row | _class_ids(label, ids) for row, label in rows]
            portions.append(pa.Table.from_pylist(labelled, SCHEMA))
        return pa.concat_tables(portions)

    def _encode(self, sentences: Sequence[ProbeSentence]) -> Iterator[dict[str, Any]]:
        for line, tokens, _, tree in sentences:
            # Sentences of a dataset are of its training split, by which shuffled phrases are drawn.
            phrases = partition_sentence(
                (line, tree, tokens),
                settings=self._partition,
                split=TRAIN,
                path=self._files.phrases,
                tokens_path=self._files.tokens,
            )
            row = self._encoder.encode(tokens.split(" "), phrases=phrases)
            check_length(row["source_length"], path=self._files.tokens, line=line)
            yield row | {"line": line, "source_tokens": tokens}


def _class_ids(label: TreeLabels, ids: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """The class ids of a sentence by task; labels without a class are `OTHER`."""
    row: dict[str, Any] = {}
    for task, classes in ids.items():
        names, other = getattr(label, task), classes.get(OTHER)
        if task in SENTENCE_TASKS:
            row[task] = None if names is None else classes.get(names, other)
        else:
            row[task] = [classes.get(name, other) for name in names]
    return row


def count_labels(table: pa.Table, classes: Classes) -> dict[str, Any]:
    """Sentences, words and subwords, and how many have each class of each task (`none`: none)."""
    counts: dict[str, Any] = {
        "sentences": table.num_rows,
        "words": len(table["pos"].combine_chunks().flatten()),
        "subwords": len(table["source_ids"].combine_chunks().flatten()),
    }
    for task in TASKS:
        column, names = table[task].combine_chunks(), [*classes[task], "none"]
        found = column if task in SENTENCE_TASKS else column.flatten()
        ids = found.fill_null(len(classes[task])).to_numpy()
        counts[task] = dict(
            zip(names, np.bincount(ids, minlength=len(names)).tolist(), strict=True)
        )
        if OTHER in names:
            del counts[task]["none"]
    return counts
