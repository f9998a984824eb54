from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from mgsa.base.errors import InputError
from mgsa.data.batch import Row, make_batch
from mgsa.data.dataset import Dataset, open_dataset
from mgsa.decoding.align import Aligner, Alignment
from mgsa.decoding.translate import NOTHING, Translator
from tests.copy_task import write_copy_task
from tests.model_folders import random_model

CPU = torch.device("cpu")
HEAD = {"layer": 1, "full_context": True, "sentences": 1.0, "weight": 0.05}
OF_BIGRAMS = {
    "attentions": ["cross"],
    "technique": "conv_kv",
    "structure": "homogeneous",
    "ngrams": [2],
    "ngram_heads": [4],
}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("aligner") / "dataset"
    return open_dataset(write_copy_task(folder, train=3, valid=3, test=12))


def aligner(dataset: Dataset, *, layer: int | None = None, **settings: Any) -> Aligner:
    folder = dataset.folder.parent / f"model-{len(list(dataset.folder.parent.iterdir()))}"
    return Aligner.load(random_model(folder, dataset.folder, **settings), layer=layer)


def same(one: Alignment, other: Alignment) -> bool:
    return np.allclose(one.matrix, other.matrix, atol=1e-6) and one.links == other.links


@pytest.mark.parametrize("alignment", [None, HEAD])
def test_batches_and_windows_change_nothing(
    dataset: Dataset, alignment: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = aligner(dataset, alignment=alignment)
    rows = list(dataset.read("test"))
    large = found.align_rows(rows, batch_tokens=1000)
    monkeypatch.setattr("mgsa.decoding.batches.EVALUATION_WINDOW", 7)
    small = found.align_rows(rows, batch_tokens=1)
    for row, *alignments in zip(rows, large, small, strict=True):
        assert alignments[0].matrix.shape == (len(row.target), len(row.source))
        assert all(same(alignments[0], other) for other in alignments)


@pytest.mark.parametrize(
    ("settings", "layer", "averaged"),
    [
        ({"alignment": HEAD}, None, None),  # the head is asked
        ({"alignment": HEAD}, 1, 1),
        ({}, None, 1),  # the last layer but one
        ({}, 2, 2),
    ],
)
def test_the_head_is_asked_or_a_layer_is_averaged(
    dataset: Dataset, settings: dict[str, Any], layer: int | None, averaged: int | None
) -> None:
    found = aligner(dataset, layer=layer, decoder_layers=2, **settings)
    model = found.artifact.model
    row = next(dataset.read("test"))
    batch = make_batch([row], model.granularities, ngram_unit=model.ngram_unit)
    with torch.no_grad():
        if averaged is None:
            weights = model.align(batch).exp()
        else:
            layers = model(batch, need_weights=True).cross_weights
            weights = layers[averaged - 1]["words"].mean(dim=1)
    (alignment,) = found.align_rows([row], batch_tokens=1000)
    np.testing.assert_allclose(alignment.matrix, weights[0, :-1, :-1].numpy(), rtol=1e-5)


def test_links_are_of_words(dataset: Dataset) -> None:
    row = next(dataset.read("test"))
    length = len(row.source)
    one_word = replace(row, subwords_per_word=[length], target_subwords_per_word=[length])
    (alignment,) = aligner(dataset).align_rows([one_word], batch_tokens=1000)
    assert alignment.links == [(0, 0)]
    np.testing.assert_allclose(alignment.words, [[alignment.matrix.sum() / length]], rtol=1e-6)


def test_an_empty_side_has_no_links(dataset: Dataset) -> None:
    row = next(dataset.read("test"))
    rows = [row, replace(row, target=[], target_subwords_per_word=[]), row]
    first, empty, last = aligner(dataset).align_rows(rows, batch_tokens=1000)
    assert empty.links == []
    assert empty.words.shape == (0, len(row.source))
    assert same(first, last)


def test_every_candidate_is_aligned_with_its_source(dataset: Dataset) -> None:
    found = aligner(dataset)
    translator = Translator([found.artifact], CPU)
    rows = list(dataset.read("test", 0, 5))
    translations = [*translator.translate(rows, beam=3, n_best=2), NOTHING]
    rows.append(Row(5, [], [], [], [], []))
    aligned = found.align_translations(translations, rows, batch_tokens=100)
    for row, translation in zip(rows, aligned, strict=True):
        for candidate in translation.n_best:
            pair = row.with_target(candidate.subwords, dataset.vocabularies[1])
            (expected,) = found.align_rows([pair], batch_tokens=1000)
            assert list(candidate.links or ()) == expected.links
            assert len(expected.target_words) == len(candidate.text.split())


@pytest.mark.parametrize("layer", [0, 3])
def test_a_layer_that_is_not_there(dataset: Dataset, layer: int) -> None:
    with pytest.raises(InputError, match=f"layer: expected 1 to 2, got {layer}"):
        aligner(dataset, layer=layer, decoder_layers=2)


def test_a_model_that_sees_no_words_is_refused_at_once(dataset: Dataset) -> None:
    with pytest.raises(InputError, match="expected a model whose cross-attention sees words"):
        aligner(dataset, phrase_attention=OF_BIGRAMS, multi_granularity=None)
