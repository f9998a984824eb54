"""An opened model translates, aligns and scores rows, whatever else is in the batch."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mgsa
from mgsa.artifact.model import load_model
from mgsa.cli.errors import InputError
from mgsa.config import DEFAULT_TRANSLATE_CONFIG
from mgsa.data.batch import Row, make_batch
from mgsa.data.dataset import Dataset, open_dataset
from mgsa.data.vocabulary import Vocabulary
from mgsa.decoding.opened import OpenedModel, choose_device
from mgsa.decoding.precision import INTEGER_ENGINES
from mgsa.decoding.results import NOTHING, Alignment, Translation
from tests.copy_task import write_copy_task
from tests.model_folders import random_model

HEAD = {"layer": 1, "full_context": True, "sentences": 1.0, "weight": 0.05}
OF_BIGRAMS = {
    "attentions": ["cross"],
    "technique": "conv_kv",
    "structure": "homogeneous",
    "ngrams": [2],
    "ngram_heads": [4],
}
EMPTY = Row(0, (), (), (), ((), ()), ((), ()))
ROW = Row(0, (5, 6), (), (2,), ((2,),), ((0,),))  # one level of phrases
NUMBERS = count()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset, and models of it: that attend to phrases, that don't, and a recurrent one."""
    folder = tmp_path_factory.mktemp("opened")
    dataset = write_copy_task(folder / "dataset", train=3, valid=3, test=50)
    random_model(folder / "phrases", dataset)
    random_model(folder / "words", dataset, seed=1, multi_granularity=None)
    random_model(folder / "recurrent", dataset, seed=2, kind="rnn")
    return folder


@pytest.fixture(scope="module")
def dataset(folder: Path) -> Dataset:
    return open_dataset(folder / "dataset")


@pytest.fixture(scope="module")
def rows(dataset: Dataset) -> list[Row]:
    return list(dataset.read("test"))


def model_with(folder: Path, **settings: Any) -> OpenedModel:
    """A random model of these settings."""
    return mgsa.load(random_model(folder / f"{next(NUMBERS)}", folder / "dataset", **settings))


def texts(translations: list[Translation]) -> list[str]:
    return [translation.text for translation in translations]


def same(one: Alignment, other: Alignment) -> bool:
    return np.allclose(one.matrix, other.matrix, atol=1e-6) and one.links == other.links


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_an_error() -> None:
    with pytest.raises(InputError, match="accelerator: expected cpu or auto, as there is no GPU"):
        choose_device("gpu")


def test_mgsa_load_gives_an_object_that_translates_rows_and_subwords(
    folder: Path, dataset: Dataset, rows: list[Row]
) -> None:
    model = mgsa.load(folder / "words")
    lines = list(dataset.texts("test", "source_tokens"))
    from_rows = model.translate(rows, beam=3, n_best=2)
    assert texts(from_rows) == texts(model.translate(model.rows_of_subwords(lines), beam=3))
    assert len(set(texts(from_rows))) > 10
    for translation in from_rows:
        assert len(translation.n_best) == 2
        assert translation.n_best[0].score >= translation.n_best[1].score
        assert translation.text == " ".join(translation.subwords).replace("@@ ", "")
        assert " ".join(translation.n_best[0].tokens) == translation.text


@pytest.mark.parametrize("name", ["phrases", "words", "recurrent"])
def test_processes_change_no_output(folder: Path, rows: list[Row], name: str) -> None:
    one, two = (
        OpenedModel.load(folder / name, accelerator="cpu", workers=workers) for workers in (1, 2)
    )
    found, again = (
        model.translate([*rows, EMPTY], n_best=2, need_weights=True) for model in (one, two)
    )
    assert texts(found) == texts(again)
    for translation, other in zip(found, again, strict=True):
        assert translation.n_best == other.n_best
        for place, weights in translation.weights.items():
            np.testing.assert_array_equal(weights, other.weights[place])
    assert list(one.score(rows, batch_tokens=100)) == list(two.score(rows, batch_tokens=100))


def test_sentences_without_words_have_no_translation(folder: Path, rows: list[Row]) -> None:
    model = mgsa.load(folder / "phrases")
    found = model.translate([EMPTY, rows[0], EMPTY])
    assert found == [NOTHING, *model.translate(rows[:1]), NOTHING]
    words = mgsa.load(folder / "words")
    assert texts(words.translate(words.rows_of_subwords(["", " "]))) == ["", ""]


@pytest.mark.parametrize(("name", "heads"), [("words", 4), ("recurrent", 1)])
def test_weights_are_given_without_padding(
    folder: Path, rows: list[Row], name: str, heads: int
) -> None:
    translations = mgsa.load(folder / name).translate(rows, need_weights=True)
    for row, found in zip(rows, translations, strict=True):
        (weights,) = found.weights.values()  # of the one decoder layer
        assert weights.shape == (heads, len(found.subwords) + 1, len(row.source) + 1)
        np.testing.assert_allclose(weights.sum(axis=-1), 1.0, rtol=1e-5)


@pytest.mark.parametrize("precision", ["bfloat16", "int8"])
def test_narrower_numbers_give_nearly_the_same_scores(folder: Path, precision: Any) -> None:
    """Of an ensemble and, with weights, of one model, whatever is asked for before."""
    if precision == "int8" and torch.backends.quantized.engine not in INTEGER_ENGINES:
        pytest.skip("no x86 CPU")
    both = OpenedModel.load([folder / "words", folder / "recurrent"], accelerator="cpu")
    one = OpenedModel.load(folder / "words", accelerator="cpu")
    for model, need in ((both, False), (one, True)):
        row = Row.of_subwords(["w1", "w2", "w3"], model.artifacts[0].vocabularies[0])
        exact = model.translate([row], need_weights=need)
        (found,) = model.translate([row], precision=precision, need_weights=need)
        assert found.score == pytest.approx(exact[0].score, rel=0.1)
        assert found.weights.keys() == exact[0].weights.keys()
        assert model.translate([row], need_weights=need)[0].score == exact[0].score


@pytest.mark.parametrize("alignment", [None, HEAD])
def test_batches_and_windows_change_no_alignment(
    folder: Path, rows: list[Row], alignment: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_with(folder, alignment=alignment)
    large = list(model.align(rows, batch_tokens=1000))
    monkeypatch.setattr("mgsa.decoding.batches.EVALUATION_WINDOW", 7)
    small = model.align(rows, batch_tokens=1)
    for row, one, other in zip(rows, large, small, strict=True):
        assert one.matrix.shape == (len(row.target), len(row.source))
        assert same(one, other)


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
    folder: Path, rows: list[Row], settings: Any, layer: int | None, averaged: int | None
) -> None:
    opened = model_with(folder, decoder_layers=2, **settings)
    model = opened.artifacts[0].model
    batch = make_batch(rows[:1], model.granularities, ngram_unit=model.ngram_unit)
    with torch.no_grad():
        if averaged is None:
            weights = model.align(batch).exp()
        else:
            layers = model(batch, need_weights=True).cross_weights
            weights = layers[averaged - 1]["words"].mean(dim=1)
    (alignment,) = opened.align(rows[:1], layer=layer)
    np.testing.assert_allclose(alignment.matrix, weights[0, :-1, :-1].numpy(), rtol=1e-5)


def test_links_are_of_words(folder: Path, rows: list[Row]) -> None:
    length = len(rows[0].source)
    one_word = replace(rows[0], subwords_per_word=[length], target_subwords_per_word=[length])
    (alignment,) = mgsa.load(folder / "phrases").align([one_word])
    assert alignment.links == [(0, 0)]
    np.testing.assert_allclose(alignment.words, [[alignment.matrix.sum() / length]], rtol=1e-6)


def test_an_empty_side_has_no_links(folder: Path, rows: list[Row]) -> None:
    row = rows[0]
    pairs = [row, replace(row, target=[], target_subwords_per_word=[]), EMPTY, row]
    first, empty, nothing, last = mgsa.load(folder / "phrases").align(pairs)
    assert empty.links == nothing.links == []
    assert empty.words.shape == (0, len(row.source))
    assert same(first, last)


def test_every_candidate_is_aligned_with_its_source(
    folder: Path, dataset: Dataset, rows: list[Row]
) -> None:
    model = mgsa.load(folder / "phrases")
    sources = [*rows[:5], EMPTY]
    config = replace(DEFAULT_TRANSLATE_CONFIG, batch_tokens=100)
    plain = model.translate_rows(sources, config, n_best=2)
    linked = model.translate_rows(sources, config, n_best=2, links=True)
    for row, one, other in zip(sources, plain, linked, strict=True):
        for before, candidate in zip(one.n_best, other.n_best, strict=True):
            pair = row.with_target(candidate.subwords, dataset.vocabularies[1])
            (expected,) = model.align([pair])
            assert candidate == replace(before, links=tuple(expected.links))
            assert len(expected.target_words) == len(candidate.tokens)


def test_translations_score_what_beam_search_said(
    folder: Path, dataset: Dataset, rows: list[Row]
) -> None:
    model, sources = mgsa.load(folder / "phrases"), [*rows[:12], EMPTY]
    translations = model.translate(sources, beam=3, n_best=2, length_penalty=0.0)
    pairs, expected = zip(
        *(
            (row.with_target(candidate.subwords, dataset.vocabularies[1]), candidate.score)
            for row, translation in zip(sources, translations, strict=True)
            for candidate in translation.n_best
        ),
        strict=True,
    )
    done: list[int] = []
    scores = list(model.score(pairs, batch_tokens=30, advance=done.append))
    assert scores == pytest.approx(list(expected), rel=1e-4)
    assert sum(done) == len(pairs) == 25


def test_nothing_is_translated_as_nothing(folder: Path, rows: list[Row]) -> None:
    pairs = [replace(EMPTY, target=[5]), EMPTY, replace(rows[0], target=[])]
    nothing, certain, end = mgsa.load(folder / "phrases").score(pairs)
    assert (nothing, certain) == (-math.inf, 0.0)
    assert -math.inf < end < 0


def test_models_of_other_vocabularies_are_refused(folder: Path) -> None:
    artifact = load_model(folder / "words")
    source, target = artifact.vocabularies
    other = replace(artifact, vocabularies=(Vocabulary((*source.symbols, "more")), target))
    with pytest.raises(InputError, match="expected the source vocabulary of the model"):
        OpenedModel([artifact, other], torch.device("cpu"))


@pytest.mark.parametrize(
    ("models", "sentences", "options", "message"),
    [
        (["words"], ["w1 w2"], {}, "expected rows, got 'w1 w2'; raw text goes through"),
        (["phrases"], [ROW], {}, "expected rows with 2 levels of phrases, got 1"),
        (["words", "recurrent"], [ROW], {"need_weights": True}, "weights .* expected one model"),
        (["words"], [ROW], {"prefixes": [[], []]}, "expected 1 prefixes, got 2"),
    ],
)
def test_what_cannot_be_translated_is_refused(
    folder: Path, models: list[str], sentences: Any, options: Any, message: str
) -> None:
    opened = OpenedModel.load([folder / name for name in models])
    with pytest.raises(InputError, match=message):
        opened.translate(sentences, **options)


def test_an_ensemble_neither_aligns_nor_scores(folder: Path) -> None:
    ensemble = OpenedModel.load([folder / "words", folder / "recurrent"])
    for work, what in ((ensemble.align, "alignments"), (ensemble.score, "scores")):
        with pytest.raises(InputError, match=f"{what}: expected one model, got several"):
            work([ROW])


def test_a_model_that_sees_no_words_does_not_align(folder: Path) -> None:
    model = model_with(folder, phrase_attention=OF_BIGRAMS, multi_granularity=None)
    with pytest.raises(InputError, match="expected a model whose cross-attention sees words"):
        model.align([ROW])


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("words", "w3 sleeps.", r"vocabulary, got 'sleeps\.'; raw text goes"),
        ("phrases", "w1 w2", "phrases: the model attends to syntactic phrases: expected rows"),
    ],
)
def test_raw_text_is_not_taken_for_subwords(
    folder: Path, name: str, line: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        mgsa.load(folder / name).rows_of_subwords(["w1", line])
