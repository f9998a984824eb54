"""Sentences with their labels as rows of probing data: arrays like a dataset's, and classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from mgsa.base.errors import InputError
from mgsa.base.io import read_json
from mgsa.base.settings import from_mapping
from mgsa.data.dataset import Dataset
from mgsa.data.schema import LONGEST, PREPROCESSING
from mgsa.probing.data import OTHER, SCHEMA, SENTENCE_TASKS, WORD_TASKS
from pipeline.artifact.columns import Lines, Side, encode_side, phrase_columns, side_columns
from pipeline.artifact.phrase_columns import Phrases, encode_phrases
from pipeline.artifact.preprocessing import Preprocessing
from pipeline.base.stage import SPLITS
from pipeline.partition import PartitionSettings, partition_sentences
from pipeline.probing.labels import TreeLabels
from pipeline.probing.sentences import ProbeSentence, SentenceFiles
from pipeline.subwords import SubwordSplitter


@dataclass(frozen=True)
class Encoded:
    """Sentences as a dataset has them: subwords, and phrases in subwords."""

    source: Side
    phrases: Phrases


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
        made = Preprocessing.read(path)
        partition = {**read_json(path)["partition"], "workers": 1}
        self._partition = from_mapping(PartitionSettings, partition, f"{path}: partition")
        threshold = made.bpe.vocabulary_threshold
        self._splitter = SubwordSplitter.load(dataset.folder, "source", threshold=threshold)
        self._vocabulary = dataset.vocabularies[0]
        self._tag_ids = {tag: index for index, tag in enumerate(dataset.tags)}
        self._levels = dataset.manifest.levels
        self._files = files

    def encode(self, sentences: Sequence[ProbeSentence]) -> Encoded:
        """Encode sentences, and check that each has the words of the tree of its phrases.

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
        texts = Lines(self._files.tokens, 1, [sentence.tokens for sentence in sentences])
        segmented = Lines(self._files.tokens, 1, [self._split(sentence) for sentence in sentences])
        source = encode_side(texts, segmented, self._vocabulary)
        lines = Lines(self._files.phrases, 1, phrases.split("\n")[:-1])
        return Encoded(source, encode_phrases(lines, source, self._tag_ids, self._levels))

    def _split(self, sentence: ProbeSentence) -> str:
        subwords = self._splitter.split(sentence.tokens.split(" "))
        if len(subwords) > LONGEST:
            raise InputError(
                f"expected at most {LONGEST} subwords, got {len(subwords)}",
                path=self._files.tokens,
                line=sentence.line,
            )
        return " ".join(subwords)


def make_rows(
    sentences: Sequence[ProbeSentence],
    encoded: Encoded,
    labels: Sequence[TreeLabels],
    classes: Mapping[str, Sequence[str]],
) -> pa.Table:
    """The rows of some sentences as a table of the schema.

    Args:
        classes: the names of each task's classes, by id; a label that has none is of `OTHER`.
    """
    columns = side_columns("source", encoded.source)
    columns |= phrase_columns(encoded.phrases, num_rows=len(sentences))
    columns["line"] = pa.array([sentence.line for sentence in sentences], pa.int32())
    columns["source_tokens"] = pa.array([sentence.tokens for sentence in sentences], pa.string())
    word_offsets = pa.array(encoded.source.word_offsets.astype(np.int32))
    for task in (*SENTENCE_TASKS, *WORD_TASKS):
        ids = {name: index for index, name in enumerate(classes[task])}
        other = ids.get(OTHER)
        found = [getattr(label, task) for label in labels]
        if task in SENTENCE_TASKS:
            numbers = [None if name is None else ids.get(name, other) for name in found]
            columns[task] = pa.array(numbers, pa.int16())
        else:
            of_words = [ids.get(name, other) for names in found for name in names]
            columns[task] = pa.ListArray.from_arrays(
                word_offsets, pa.array(of_words, pa.int16()), type=SCHEMA.field(task).type
            )
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)


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
