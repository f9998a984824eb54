"""Scores are what decoding step by step says, whatever else is in the batch."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from mgsa.data.batch import Row
from mgsa.data.dataset import Dataset, open_dataset
from mgsa.data.vocabulary import BOS, EOS
from mgsa.decoding.score import Scorer
from mgsa.decoding.translate import Translator
from mgsa.model.encoder_decoder import EncoderDecoder
from tests.copy_task import write_copy_task
from tests.model_folders import random_model as random_artifact
from tests.random_rows import MODELS, batch_of, random_model, some_rows


def stepwise(model: EncoderDecoder, row: Row) -> float:
    """The sum of log probabilities along the target, decoded with a cache."""
    state = model.start(model.encode(batch_of(model, [row])))
    total = 0.0
    for last, word in zip([BOS, *row.target], [*row.target, EOS], strict=True):
        log_probs, state = model.step(state, torch.tensor([last]))
        total += log_probs[0, word].item()
    return total


@pytest.mark.parametrize("name", MODELS)
def test_a_score_is_the_sum_over_steps(name: str) -> None:
    """In batches of any order and padding; an empty target is end of sentence alone."""
    model = random_model(MODELS[name])
    rows = some_rows(5, 1, 7, 3, 6, 2)
    rows[2] = replace(rows[2], target=[])
    rows[3] = replace(rows[3], target=random.Random(0).choices(range(3, 20), k=11))
    with torch.inference_mode():
        expected = [stepwise(model, row) for row in rows]
        assert model.score(batch_of(model, rows)).tolist() == pytest.approx(expected, rel=1e-9)
        reverse = model.score(batch_of(model, rows[::-1])).tolist()
        alone = [model.score(batch_of(model, [row])).item() for row in rows]
    assert reverse[::-1] == pytest.approx(expected, rel=1e-9)
    assert alone == pytest.approx(expected, rel=1e-9)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("scorer") / "dataset"
    return open_dataset(write_copy_task(folder, train=3, valid=3, test=12))


def test_translations_score_what_beam_search_said(dataset: Dataset, tmp_path: Path) -> None:
    folder = random_artifact(tmp_path / "model", dataset.folder)
    rows = [*dataset.read("test"), Row(12, [], [], [], [(), ()], [(), ()])]
    translations = Translator.load(folder).translate(rows, beam=3, n_best=2, length_penalty=0.0)
    candidates = [
        (row.with_target(candidate.subwords, dataset.vocabularies[1]), candidate.score)
        for row, translation in zip(rows, translations, strict=True)
        for candidate in translation.n_best
    ]
    done: list[int] = []
    pairs, expected = zip(*candidates, strict=True)
    scores = Scorer.load(folder).score_rows(pairs, batch_tokens=30, advance=done.append)
    assert list(scores) == pytest.approx(list(expected), rel=1e-4)
    assert sum(done) == len(pairs) == 25


def test_nothing_is_translated_as_nothing(dataset: Dataset, tmp_path: Path) -> None:
    scorer = Scorer.load(random_artifact(tmp_path / "model", dataset.folder))
    row = next(dataset.read("test"))
    empty = replace(row, source=[], subwords_per_word=[], phrase_lengths=[[], []])
    rows = [empty, replace(empty, target=[]), replace(row, target=[])]
    nothing, certain, end = scorer.score_rows(rows, batch_tokens=100)
    assert (nothing, certain) == (-math.inf, 0.0)
    assert -math.inf < end < 0
