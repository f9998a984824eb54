"""Words that a vocabulary has never seen come from the source words that attention is on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mgsa
from mgsa.config import DEFAULT_TRANSLATE_CONFIG
from mgsa.data.batch import Row, subwords_per_word
from mgsa.data.dataset import open_dataset
from mgsa.data.vocabulary import UNK, join_subwords
from mgsa.data.word_links import word_matrix
from mgsa.decoding.copying import UNKNOWN, copied, unknown_words
from mgsa.decoding.opened import OpenedModel
from mgsa.decoding.results import Candidate
from tests.copy_task import write_copy_task
from tests.model_folders import random_model

OF_BIGRAMS: dict[str, Any] = {
    "attentions": ["cross"],
    "technique": "conv_kv",
    "structure": "homogeneous",
    "ngrams": [2],
    "ngram_heads": [4],
}
SOURCE = "The man sees 张 ."
MATRIX = {  # target words by source words
    "Der Mann sieht 张": ("Der Mann sieht <unk>", [3], "0 1 2 3", "0-0 1-1 2-2 3-3"),
    "Der Mann sieht man": ("Der Mann sieht <unk>", [], "0 1 2 1", "0-0 1-1 1-3 2-2"),
    "Der 张 .": ("Der Hund .", [3], "0 3 4", "0-0 3-1 4-2"),
    "Der Mann sieht 张 .": ("Der Mann sieht .", [3], "0 1 2 3", "0-0 1-1 2-2 3-3 3-4"),
    "张 sees": ("<unk> <unk>", [3], "3 2", "2-1 3-0"),
    "The Mann sieht": ("Mann sieht", [0], "1 2", "0-0 1-1 2-2"),
    "man 张": ("", [1, 3], "", "1-0 3-1"),
    SOURCE: ("Ein Mann", [0, 1, 2, 3, 4], "0 1", "0-0 1-1 2-2 3-3 4-4"),
}
"""By what comes out: the translation, the unknown source words, of each target word the source word
that it is aligned with, and the links of what comes out."""


@pytest.mark.parametrize("expected", MATRIX)
def test_a_word_is_copied_to_its_place(expected: str) -> None:
    text, unknown, aligned, links = MATRIX[expected]
    source, places = SOURCE.split(), [int(place) for place in aligned.split()]
    tokens = tuple(text.split())
    given = tuple((word, place) for place, word in enumerate(places))
    matrix = np.full((len(places), len(source)), 0.1)
    matrix[np.arange(len(places)), places] = 0.6
    candidate = Candidate(text, tokens, tokens, -1.0, links=given)
    found = copied(candidate, source, unknown, matrix)
    assert (found.text, found.tokens) == (expected, tuple(expected.split()))
    assert " ".join(f"{word}-{place}" for word, place in found.links or ()) == links
    assert (found.subwords, found.score) == (tokens, -1.0)
    assert copied(replace(candidate, links=None), source, unknown, matrix).links is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models that say `<unk>`: one attends to words, one to bigrams alone."""
    folder = tmp_path_factory.mktemp("copying")
    dataset = write_copy_task(folder / "dataset", train=3, valid=3, test=50)
    random_model(folder / "words", dataset, decoder_layers=3, multi_granularity=None)
    settings: dict[str, Any] = {"phrase_attention": OF_BIGRAMS, "multi_granularity": None}
    random_model(folder / "bigrams", dataset, seed=2, **settings)
    return folder


@pytest.mark.parametrize("links", [False, True])
def test_an_unknown_word_is_that_of_the_most_attention(folder: Path, links: bool) -> None:
    """Of the penultimate layer's heads at that step of the search, in float64."""
    model, dataset = mgsa.load(folder / "words"), open_dataset(folder / "dataset")
    rows = list(dataset.read("test"))
    words = [line.split() for line in dataset.texts("test", "source_tokens")]
    config = replace(DEFAULT_TRANSLATE_CONFIG, beam=2)
    found = model.translate_rows(rows, config, words=words, links=links, need_weights=True)
    num_copied = 0
    for row, source, translation in zip(rows, words, found, strict=True):
        best, sizes = translation.n_best[0], subwords_per_word(translation.subwords)
        assert UNKNOWN not in best.text
        assert (best.links is not None) == links
        heads = translation.weights["layer_2.words"].astype(np.float64)[:, :-1, :-1]
        average = heads.mean(axis=0)
        matrix = word_matrix(average, source_words=row.subwords_per_word, target_words=sizes)
        said = join_subwords(translation.subwords).split()
        for word, token, attention in zip(said, best.tokens, matrix, strict=True):
            assert token == (source[attention.argmax()] if UNKNOWN in word else word)
            num_copied += UNKNOWN in word
    assert num_copied > 10


def test_an_ensemble_copies_by_the_first_model_that_sees_words(folder: Path) -> None:
    """Without one, and without the key, `<unk>` stays."""
    dataset = open_dataset(folder / "dataset")
    words = [line.split() for line in dataset.texts("test", "source_tokens")]

    def texts(*names: str, copy_unknown: bool = True) -> str:
        model = OpenedModel.load([folder / name for name in names])
        config = replace(DEFAULT_TRANSLATE_CONFIG, copy_unknown=copy_unknown)
        found = model.translate_rows(dataset.read("test"), config, words=words)
        return " ".join(translation.text for translation in found)

    assert UNKNOWN not in texts("bigrams", "words")
    assert UNKNOWN in texts("bigrams", "words", copy_unknown=False)
    assert UNKNOWN in texts("bigrams")


def test_a_word_is_unknown_if_a_subword_is() -> None:
    row = Row(0, (5, UNK, 6, 7, UNK), (), (2, 2, 1), (), ())
    assert unknown_words(row) == [0, 2]
