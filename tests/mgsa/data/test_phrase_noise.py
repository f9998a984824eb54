"""Phrase noise: phrases of whole words, nested and without tags, the same at every call."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.cli.errors import InputError
from mgsa.cli.settings import from_mapping
from mgsa.config import NO_PHRASE_NOISE, PhraseNoise, TrainConfig
from mgsa.data.batch import NO_PHRASE, Row, RowColumns
from mgsa.data.batching import Position, TrainBatches, Update
from mgsa.data.dataset import open_dataset
from mgsa.data.phrase_noise import with_phrase_noise
from mgsa.data.ragged import Ragged
from tests.stage_folders import random_dataset
from tests.training_settings import TRAIN

HALF = PhraseNoise(flat=0.25, random=0.25)


def sentences(count: int) -> RowColumns:
    """Sentences of 1 to 12 words, each of 1 to 3 subwords, in 1, half, and all words as phrases."""
    rows = []
    for index in range(count):
        words = [1 + (index + place) % 3 for place in range(1 + index % 12)]
        middle = -(-len(words) // 2)
        levels = [[sum(words)], [sum(words[i : i + 2]) for i in range(0, len(words), 2)], words]
        tags = [[0], list(range(middle)), list(range(len(words)))]
        ids = [4] * sum(words)
        rows.append(Row(index, ids, ids, words, levels, tags))
    return RowColumns.of(rows)


def phrases(columns: RowColumns, n: int) -> list[tuple[list[int], list[int]]]:
    levels = zip(columns.phrase_lengths, columns.phrase_tags, strict=True)
    return [(lengths[n].tolist(), tags[n].tolist()) for lengths, tags in levels]


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 99), st.integers(0, 9))
def test_phrases_cover_whole_words_and_stay_nested(
    share: float, flat: float, seed: int, epoch: int
) -> None:
    rows = sentences(24)
    noise = PhraseNoise(flat=share * flat, random=share * (1 - flat))
    noisy = with_phrase_noise(rows, noise, seed=seed, epoch=epoch)
    for n in range(len(rows)):
        levels, before = phrases(noisy, n), phrases(rows, n)
        if levels == before:
            continue
        ends = [set(accumulate(lengths)) for lengths, _ in levels]
        assert all(coarse <= fine for coarse, fine in pairwise(ends))
        assert ends[-1] <= set(accumulate(rows.subwords_per_word[n].tolist()))
        assert all(max(of_level) == len(rows.source[n]) for of_level in ends)
        assert all(tags == [NO_PHRASE] * len(lengths) for lengths, tags in levels)
        counts = [len(lengths) for lengths, _ in levels]
        of_words = [len(rows.subwords_per_word[n])] * 3
        assert counts in (of_words, [len(lengths) for lengths, _ in before])


def test_shares_are_as_asked_for_and_differ_by_epoch_and_seed() -> None:
    rows = sentences(4_000)
    long = [n for n in range(len(rows)) if n % 12 > 2]

    def kinds(seed: int, epoch: int) -> list[str]:
        noisy = with_phrase_noise(rows, HALF, seed=seed, epoch=epoch)
        untagged = ["random", "flat"]
        return [
            untagged[len(noisy.phrase_lengths[0][n]) > 1]
            if NO_PHRASE in noisy.phrase_tags[2][n]
            else "tree"
            for n in long
        ]

    found = kinds(1, 0)
    for kind, share in (("flat", 0.25), ("random", 0.25), ("tree", 0.5)):
        assert found.count(kind) / len(long) == pytest.approx(share, abs=0.03)
    assert found == kinds(1, 0)
    assert found != kinds(1, 1)
    assert found != kinds(2, 0)


def test_rows_are_noisy_by_index_whatever_their_batch() -> None:
    rows = sentences(50)
    every, order = with_phrase_noise(rows, HALF, seed=3, epoch=2), np.array([40, 7, 12])
    taken = with_phrase_noise(rows.take(order), HALF, seed=3, epoch=2)
    assert [phrases(taken, n) for n in range(3)] == [phrases(every, n) for n in order]


def test_without_noise_or_words_rows_are_as_they_were() -> None:
    rows = sentences(20)
    same = with_phrase_noise(rows, NO_PHRASE_NOISE, seed=1, epoch=1)
    assert [phrases(same, n) for n in range(20)] == [phrases(rows, n) for n in range(20)]
    empty = replace(
        sentences(1),
        subwords_per_word=Ragged.of([[]]),
        phrase_lengths=(Ragged.of([[]]),),
        phrase_tags=(Ragged.of([[]]),),
    )
    flat = with_phrase_noise(empty, PhraseNoise(flat=1.0, random=0.0), seed=1, epoch=1)
    assert phrases(flat, 0) == [([], [])]


def test_training_batches_have_it_and_resume_to_the_same(tmp_path: Path) -> None:
    dataset = open_dataset(random_dataset(tmp_path / "stages", 50))

    def updates(position: Position, noise: PhraseNoise = HALF) -> list[Update]:
        batches = TrainBatches(
            dataset,
            batch_tokens=40,
            batch_sentences=None,
            seed=1,
            shuffle_window=100,
            granularities=["syntactic_1", "ngram_2"],
            ngram_unit="subword",
            phrase_noise=noise,
        )
        found = batches.updates(position, rank=0, world_size=1, accumulate=1)
        return [next(found) for _ in range(6)]

    def segments(update: Update) -> list[list[int]]:
        ((_, batch),) = update.batches
        assert batch is not None
        return batch.segments["syntactic_1"].tolist()

    every, clean = updates(Position(0, 0)), updates(Position(0, 0), NO_PHRASE_NOISE)
    assert list(map(segments, every)) != list(map(segments, clean))
    assert segments(updates(every[3].position_after)[0]) == segments(every[4])


def test_shares_above_one_are_refused() -> None:
    shares = {"phrase_noise": {"flat": 0.6, "random": 0.5}}
    with pytest.raises(InputError, match=r"shares of at most 1 together"):
        from_mapping(TrainConfig, TRAIN | shares, "train")
