"""Sentences with their labels as rows of probing data: arrays like a dataset's, and classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from mgsa.base.errors import InputError
from mgsa.base.io import read_json
from mgsa.base.settings import from_mapping
from mgsa.data.dataset import Dataset
from mgsa.data.schema import PREPROCESSING
from mgsa.probing.data import OTHER, SCHEMA, SENTENCE_TASKS, WORD_TASKS
from pipeline.base.stage import SPLITS
from pipeline.partition import PartitionSettings, partition_sentences, read_phrases_line
from pipeline.preprocessor import Encoder, check_length
from pipeline.probing.labels import TreeLabels
from pipeline.probing.sentences import ProbeSentence, SentenceFiles


class SentenceEncoder:
    """Does with sentences and trees what the stages did with a dataset's, up to ids and tags."""

    def __init__(self, dataset: Dataset, files: SentenceFiles) -> None:
        """
        Args:
            dataset: whose subwords and tags there are.
            files: where the sentences are from, which errors name.

        Raises:
            InputError: the dataset's preprocessing lacks something, or its trees are of its target.
        """
        if not dataset.manifest.levels:
            raise InputError(
                "expected a dataset whose source has phrases, got one that was turned round",
                path=dataset.folder,
            )
        path = dataset.folder / PREPROCESSING
        self._encoder = Encoder.load(dataset.folder)
        partition = {**read_json(path)["partition"], "workers": 1}
        self._partition = from_mapping(PartitionSettings, partition, f"{path}: partition")
        self._levels = dataset.manifest.levels
        self._files = files

    def encode(self, sentences: Sequence[ProbeSentence]) -> list[dict[str, Any]]:
        """The rows of sentences, less their labels; each must have the words of its tree.

        Raises:
            InputError: a tree is malformed or of other words, or a sentence is too long.
        """
        # Of the split that a dataset's sentences are drawn from: shuffled phrases are drawn alike.
        phrases, _ = partition_sentences(
            [(sentence.line, sentence.phrases, sentence.tokens) for sentence in sentences],
            settings=self._partition,
            split=SPLITS[0],
            path=self._files.phrases,
            tokens_path=self._files.tokens,
        )
        rows = []
        for sentence, line in zip(sentences, phrases.split("\n")[:-1], strict=True):
            levels = read_phrases_line(line, levels=self._levels)
            row = self._encoder.encode(sentence.tokens.split(" "), phrases=levels)
            check_length(row["source_length"], path=self._files.tokens, line=sentence.line)
            rows.append({**row, "line": sentence.line, "source_tokens": sentence.tokens})
        return rows


def make_table(
    rows: Sequence[Mapping[str, Any]],
    labels: Sequence[TreeLabels],
    classes: Mapping[str, Sequence[str]],
) -> pa.Table:
    """Rows with their labels as a table of the schema.

    Args:
        classes: the names of each task's classes, by id; a label that has none is of `OTHER`.
    """
    ids = {task: {name: i for i, name in enumerate(names)} for task, names in classes.items()}
    labelled = []
    for row, label in zip(rows, labels, strict=True):
        numbers: dict[str, Any] = {}
        for task in (*SENTENCE_TASKS, *WORD_TASKS):
            names = getattr(label, task)
            other = ids[task].get(OTHER)
            if task in WORD_TASKS:
                numbers[task] = [ids[task].get(name, other) for name in names]
            else:
                numbers[task] = None if names is None else ids[task].get(names, other)
        labelled.append({**row, **numbers})
    return pa.Table.from_pylist(labelled, SCHEMA)


def count_classes(
    labels: Sequence[TreeLabels], classes: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, int]]:
    """For each task how many sentences, or words, are of each class; `none`: of no class."""
    counts = {}
    for task, names in classes.items():
        found = Counter(getattr(label, task) for label in labels)
        if task in WORD_TASKS:
            found = Counter(name for label in labels for name in getattr(label, task))
        counts[task] = {name: found.pop(name, 0) for name in names}
        if OTHER in names:
            counts[task][OTHER] += found.total()
        else:
            counts[task]["none"] = found.total()
    return counts
