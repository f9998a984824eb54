"""BPE-dropout: other subwords of the same words, phrases and links, the same at every call."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from mgsa.artifact.weights import load_tensors
from mgsa.cli.errors import InputError
from mgsa.cli.settings import from_mapping
from mgsa.config import TrainConfig
from mgsa.data.batch import RowColumns, subwords_per_word
from mgsa.data.batching import Position, TrainBatches, Update
from mgsa.data.dataset import Dataset, open_dataset
from mgsa.data.ragged import Ragged
from mgsa.data.vocabulary import join_subwords
from mgsa.data.word_links import word_links
from pipeline.formats.text import SPLITS
from pipeline.train.__main__ import main
from pipeline.train.bpe_dropout import BpeDropout
from tests.text_folders import build_dataset, parse_with_toy, random_texts, write_text
from tests.training_settings import TRAIN, write_settings

GRANULARITIES = ["syntactic_1", "syntactic_3", "ngram_2"]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Its vocabularies have the subwords that dropout draws."""
    folder = tmp_path_factory.mktemp("dropout")
    write_text(folder, {split: random_texts(30, seed) for seed, split in enumerate(SPLITS)})
    params = yaml.safe_load((folder / "params.yaml").read_text("utf-8"))
    params["bpe"]["dropout"] = 0.5
    (folder / "params.yaml").write_text(yaml.safe_dump(params), "utf-8")
    parse_with_toy(folder)
    return open_dataset(build_dataset(folder))


def dropping(dataset: Dataset, share: float) -> BpeDropout:
    config = from_mapping(TrainConfig, TRAIN | {"bpe_dropout": share}, "train")
    return BpeDropout(dataset.folder, config)


def rows_of(dataset: Dataset) -> RowColumns:
    """The training split, with all subwords of every word linked to those of the word's place."""
    extra = ["subwords_per_word", "phrase_lengths", "phrase_tags"]
    columns = dataset.columns("train", range(len(dataset.row_group_rows("train"))), extra)
    links = []
    for n in range(len(columns)):
        source, target = words_of(dataset, columns, n)
        word = [
            [k for k, size in enumerate(side) for _ in range(size)] for side in (source, target)
        ]
        pairs = [(i, j) for i, k in enumerate(word[0]) for j, m in enumerate(word[1]) if k == m]
        links.append(pairs)
    sides = (Ragged.of([[pair[side] for pair in row] for row in links]) for side in (0, 1))
    return replace(columns, links=tuple(sides))  # type: ignore[arg-type]


def symbols(dataset: Dataset, side: int, ids: np.ndarray) -> list[str]:
    return [dataset.vocabularies[side].symbols[i] for i in ids]


def words_of(dataset: Dataset, columns: RowColumns, n: int) -> tuple[list[int], list[int]]:
    """Subwords of each word of both sides."""
    target = subwords_per_word(symbols(dataset, 1, columns.target[n]))
    return columns.subwords_per_word[n].tolist(), target


def in_words(dataset: Dataset, columns: RowColumns, n: int) -> Any:
    """What must not change of a row: texts, phrases by their last words, links of words."""
    source, target = words_of(dataset, columns, n)
    ends = [0, *accumulate(source)]
    lengths = [list(accumulate(level[n].tolist())) for level in columns.phrase_lengths]
    links = zip(columns.links[0][n].tolist(), columns.links[1][n].tolist(), strict=True)
    return (
        join_subwords(symbols(dataset, 0, columns.source[n])),
        join_subwords(symbols(dataset, 1, columns.target[n])),
        [[ends.index(end) for end in level] for level in lengths],
        [level[n].tolist() for level in columns.phrase_tags],
        word_links(links, source_words=source, target_words=target),
        len(columns.links[0][n]) == sum(a * b for a, b in zip(source, target, strict=False)),
    )


def test_without_dropout_rows_are_the_datasets(dataset: Dataset) -> None:
    columns = rows_of(dataset)
    found = dropping(dataset, 0.0)(columns, 1)
    for name in ("source", "target", "subwords_per_word"):
        assert [*map(list, getattr(found, name))] == [*map(list, getattr(columns, name))]
    for n in range(len(columns)):
        assert in_words(dataset, found, n) == in_words(dataset, columns, n)


def test_words_phrases_and_links_stay(dataset: Dataset) -> None:
    columns, drop = rows_of(dataset), dropping(dataset, 0.4)
    first, again, later = drop(columns, 1), drop(columns, 1), drop(columns, 2)
    assert np.array_equal(first.source.flat(), again.source.flat())
    assert not np.array_equal(first.source.flat(), later.source.flat())
    for found in (first, later):
        assert found.source.lengths.sum() > columns.source.lengths.sum()
        assert found.target.lengths.sum() > columns.target.lengths.sum()
        for n in range(len(columns)):
            assert in_words(dataset, found, n) == in_words(dataset, columns, n)
    order = np.array([7, 3])
    taken = drop(columns.take(order), 1)
    for n, row in enumerate(order):
        assert taken.source[n].tolist() == first.source[row].tolist()


def updates(dataset: Dataset, position: Position, count: int, world_size: int = 1) -> list[Update]:
    batches = TrainBatches(
        dataset,
        batch_tokens=60,
        batch_sentences=None,
        seed=1,
        shuffle_window=100,
        granularities=GRANULARITIES,
        ngram_unit="subword",
        resegment=dropping(dataset, 0.3),
    )
    accumulate = 2 // world_size
    found = batches.updates(position, rank=0, world_size=world_size, accumulate=accumulate)
    return [next(found) for _ in range(count)]


def test_a_run_goes_on_with_the_same_batches(dataset: Dataset) -> None:
    every = updates(dataset, Position(0, 0), 8)
    (resumed,) = updates(dataset, every[5].position_after, 1)
    (_, one), (_, other) = resumed.batches[0], every[6].batches[0]
    assert one is not None
    assert other is not None
    assert one.source.equal(other.source)
    assert one.segments["syntactic_1"].equal(other.segments["syntactic_1"])
    for update, parallel in zip(every, updates(dataset, Position(0, 0), 8, 2), strict=True):
        tokens = sum(batch.num_target_tokens for _, batch in update.batches if batch)
        assert tokens == update.num_target_tokens == parallel.num_target_tokens


def test_the_stage_trains_so_and_resumes_to_the_same_weights(
    dataset: Dataset, tmp_path: Path
) -> None:
    weights = []
    for folder, stops in (("once", [8]), ("resumed", [5, 8])):
        for stop in stops:
            out = tmp_path / folder
            settings = {"max_updates": stop, "bpe_dropout": 0.2, "artifact": "last"}
            params = write_settings(tmp_path / "params.yaml", train=settings, model={})
            main(["--params", str(params), "--dataset", str(dataset.folder), "--out", str(out)])
        weights.append(load_tensors(tmp_path / folder / "model.safetensors"))
    assert all(weights[0][name].equal(tensor) for name, tensor in weights[1].items())


def test_mgsa_alone_refuses_it(dataset: Dataset, tmp_path: Path) -> None:
    from mgsa.__main__ import main as mgsa

    params = write_settings(tmp_path / "params.yaml", train={"bpe_dropout": 0.1}, model={})
    argv = [
        "--config",
        str(params),
        "--dataset",
        str(dataset.folder),
        "--out",
        str(tmp_path / "out"),
    ]
    with pytest.raises(InputError, match=r"train.bpe_dropout: expected `python -m pipeline.train`"):
        mgsa(["train", *argv])
