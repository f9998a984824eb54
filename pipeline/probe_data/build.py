"""Probing data from sentences with trees: splits, labels, classes, rows, manifest."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from nltk.tree import Tree

from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write, write_json
from mgsa.cli.outputs import sha256, write_manifest
from mgsa.cli.progress import progress
from mgsa.cli.workers import chunks
from mgsa.data.dataset import Dataset
from mgsa.data.schema import LABELS, TAGS, VOCABULARY
from pipeline.encoder import Encoder, check_length
from pipeline.formats.phrases import PartitionSettings
from pipeline.formats.preprocessing import Preprocessing
from pipeline.formats.probing import OTHER, PROBING, SCHEMA, SENTENCE_TASKS
from pipeline.formats.text import SPLITS
from pipeline.formats.trees import read_parse
from pipeline.partition import cut_rates, partition_tree
from pipeline.probe_data.labels import Labels, frequent_classes, label_tree
from pipeline.probe_data.sentences import ProbeSentence, SentenceFiles, draw_splits, read_sentences
from pipeline.probe_data.settings import ProbeDataSettings
from pipeline.probe_data.voice_and_tense import TENSES, VOICES
from pipeline.stage.command import library_versions
from pipeline.tokenizers.side import side_text

TRAIN = SPLITS[0]
ROW_GROUP_ROWS = 10_000


def build_probe_data(
    dataset: Dataset, files: SentenceFiles, settings: ProbeDataSettings, folder: Path
) -> dict[str, Any]:
    """Fill `folder` with probing data encoded as in `dataset`; return counts."""
    manifest = dataset.manifest
    if not manifest.levels:
        message = "expected a dataset whose source has phrases, got one that was turned round"
        raise InputError(message, path=dataset.folder)
    encoder = Encoder.load(dataset.folder)
    partition = Preprocessing.read(dataset.folder).partition
    language = manifest.source_language
    text = side_text(dataset.folder, "source")
    splits, counts = draw_splits(
        read_sentences(files, text),
        most=settings.sentences,
        shares=settings.shares,
        seed=settings.seed,
    )
    rates: list[float] = []
    if partition.boundaries == "random":
        trees = (encoder_tree(sentence, files) for sentence in read_sentences(files, text))
        rates = cut_rates(trees, partition.levels)
    labels = {
        split: label(sentences, files, language, split) for split, sentences in splits.items()
    }
    classes = choose_classes(labels[TRAIN], settings.tss_classes)
    ids = {task: {name: i for i, name in enumerate(names)} for task, names in classes.items()}
    sizes = {}
    for split, sentences in splits.items():
        rows = (
            encode(sentence, encoder, partition, rates, files) | class_ids(of_sentence, ids)
            for sentence, of_sentence in zip(sentences, labels[split], strict=True)
        )
        tables = [pa.Table.from_pylist(some, SCHEMA) for some in chunks(rows, ROW_GROUP_ROWS)]
        table = pa.concat_tables([SCHEMA.empty_table(), *tables])
        with open_to_write(folder / f"{split}.parquet", "wb") as file:
            pq.write_table(
                table, file, row_group_size=ROW_GROUP_ROWS, compression="zstd", version="2.6"
            )
        sizes[split] = count_labels(table, classes)
    write_json(folder / LABELS, classes)
    for name in (VOCABULARY, TAGS):
        shutil.copyfile(dataset.folder / name, folder / name)
    content = {
        "kind": PROBING.name,
        "schema_version": PROBING.version,
        "name": manifest.name,
        "source_language": language,
        "target_language": manifest.target_language,
        "levels": manifest.levels,
        "splits": {
            split: {"rows": n["sentences"], "links": 0, "files": [f"{split}.parquet"], **n}
            for split, n in sizes.items()
        },
        "made_by": {
            "dataset": manifest.identity,
            "trees": sha256(files.trees),
            "libraries": library_versions(),
        },
    }
    write_manifest(folder, content)
    return {**counts, "sentences": sum(map(len, splits.values())), **sizes}


def label(
    sentences: Sequence[ProbeSentence], files: SentenceFiles, language: str, split: str
) -> list[Labels]:
    """The labels of all sentences of a split."""
    labels = []
    for line, tokens, tree, _ in progress(sentences, f"label {split}", unit="sentences"):
        parse = read_parse(tree, tokens, path=files.trees, tokens_path=files.tokens, line=line)
        labels.append(label_tree(parse, language))
    return labels


def choose_classes(labels: Sequence[Labels], tss_classes: int) -> dict[str, tuple[str, ...]]:
    """The classes of each task, by the labels of the training split."""
    return {
        "voice": VOICES,
        "tense": TENSES,
        "tss": frequent_classes(Counter(label["tss"] for label in labels), tss_classes),
        "spc": frequent_classes(Counter(name for label in labels for name in label["spc"])),
        "pos": frequent_classes(Counter(name for label in labels for name in label["pos"])),
    }


def encoder_tree(sentence: ProbeSentence, files: SentenceFiles) -> Tree:
    """The tree of the phrases that encoders see."""
    line, tokens, _, tree = sentence
    return read_parse(tree, tokens, path=files.phrases, tokens_path=files.tokens, line=line)


def encode(
    sentence: ProbeSentence,
    encoder: Encoder,
    partition: PartitionSettings,
    rates: Sequence[float],
    files: SentenceFiles,
) -> dict[str, Any]:
    """A row as in a dataset, without labels."""
    line, tokens, _, _ = sentence
    # Sentences of a dataset are of its training split, by which controls of phrases are drawn.
    tree = encoder_tree(sentence, files)
    phrases = partition_tree(tree, partition, split=TRAIN, line=line, rates=rates)
    row = encoder.encode(tokens.split(" "), phrases=phrases)
    check_length(row["source_length"], path=files.tokens, line=line)
    return row | {"line": line, "source_tokens": tokens}


def class_ids(labels: Labels, ids: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """Class ids of a sentence's labels by task; unknown labels are `OTHER`."""
    row: dict[str, Any] = {}
    for task, of_task in ids.items():
        names, other = labels[task], of_task.get(OTHER)
        if task not in SENTENCE_TASKS:
            row[task] = [of_task.get(name, other) for name in names]
        else:
            row[task] = None if names is None else of_task.get(names, other)
    return row


def count_labels(table: pa.Table, classes: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Counts of sentences, words, subwords, and labels by task and class (`none`: unlabelled)."""
    counts: dict[str, Any] = {
        "sentences": table.num_rows,
        "words": len(table["pos"].combine_chunks().flatten()),
        "subwords": len(table["source_ids"].combine_chunks().flatten()),
    }
    for task, names in classes.items():
        column = table[task].combine_chunks()
        ids = column if task in SENTENCE_TASKS else column.flatten()
        found = np.bincount(ids.drop_null().to_numpy(), minlength=len(names))
        counts[task] = dict(zip(names, found.tolist(), strict=True))
        if OTHER not in names:
            counts[task]["none"] = ids.null_count
    return counts
