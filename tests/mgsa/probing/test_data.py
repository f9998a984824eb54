"""Probing data as batches with labels: by hand, as in the file, and as an encoder takes them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import torch

from mgsa.data.batch import NO_LABEL, Row, RowColumns
from mgsa.data.dataset import open_dataset
from mgsa.data.ragged import Ragged
from mgsa.model.build import build_model
from mgsa.probing.data import PROBING, class_counts, labels_of, make_examples, read_split
from tests.probing_folders import TREES, build, write_dataset
from tests.random_rows import mgsa


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("probing") / "stages"
    write_dataset(folder)
    return build(folder, "shares=[100, 1, 1]")


def columns_of(words: list[list[int]], classes: list[list[int]], voice: list[int]) -> RowColumns:
    """Sentences of so many subwords a word, with a class for each word and one for the sentence."""
    rows = [Row(0, list(range(4, 4 + sum(counts))), (), counts, [], []) for counts in words]
    labels = {"voice": Ragged.of([voice])[0], "pos": Ragged.of(classes)}
    return replace(RowColumns.of(rows), labels=labels)


def test_subwords_have_the_class_of_their_word() -> None:
    columns = columns_of([[1], [1, 2]], [[9], [7, 8]], [1, NO_LABEL])
    assert labels_of(columns, "voice").tolist() == [1, NO_LABEL]
    assert labels_of(columns, "pos").tolist() == [[9, -1, -1, -1], [7, 8, 8, -1]]
    assert class_counts(columns, "pos", 10).tolist() == [0] * 7 + [1, 2, 1]
    assert class_counts(columns, "voice", 2).tolist() == [0, 1]


def test_columns_are_those_of_the_file(written: Path) -> None:
    data = open_dataset(written, kind=PROBING)
    columns = read_split(data, "train")
    assert len(columns) == data.num_rows("train") == len(TREES)
    for place, row in enumerate(pq.read_table(written / "train.parquet").to_pylist()):
        assert columns.source[place].tolist() == row["source_ids"]
        assert columns.phrase_tags[2][place].tolist() == row["phrase_tags"][2]
        assert columns.labels["spc"][place].tolist() == row["spc"]
        voice = row["voice"]
        assert columns.labels["voice"][place] == (NO_LABEL if voice is None else voice)
    assert data.classes["voice"] == ("active", "passive")
    assert data.classes["tense"] == ("nonpast", "past")
    assert len(read_split(data, "valid")) == 0


def test_an_encoder_takes_the_batches(written: Path) -> None:
    data = open_dataset(written, kind=PROBING)
    size = len(data.vocabularies[0])
    model = build_model(
        mgsa(), source_vocabulary=size, target_vocabulary=size, num_tags=len(data.tags)
    ).eval()
    examples = make_examples(read_split(data, "train"), ["pos"], model, batch_tokens=40)
    assert sorted(row for example in examples for row in example.rows) == list(range(len(TREES)))
    for example in examples:
        with torch.no_grad():
            states = model.encode(example.batch).states
        labels = example.labels["pos"]
        assert states.shape[:2] == example.batch.source.shape == labels.shape
        assert ((labels >= 0).sum(1) == example.batch.source_lengths - 1).all()
