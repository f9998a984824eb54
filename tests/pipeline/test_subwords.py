"""Splitting words: subword-nmt's own results, and codes and vocabularies that don't fit."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword_nmt.apply_bpe import BPE, read_vocabulary

from mgsa.cli.errors import InputError
from pipeline.bpe import learn_codes
from pipeline.formats.preprocessing import Segmentation
from pipeline.subwords import CODES, SubwordSplitter, read_subword_counts, write_subword_counts
from tests.stage_folders import write_merges

MERGES = [("l", "o"), ("lo", "w</w>"), ("e", "r</w>"), ("lo", "w")]


@pytest.fixture
def codes(tmp_path: Path) -> Path:
    write_merges(tmp_path / "bpe.codes", MERGES)
    return tmp_path / "bpe.codes"


words = st.text("abcdef", min_size=1, max_size=8)


@given(
    train=st.lists(words, min_size=5),
    text=st.lists(words, min_size=1),
    threshold=st.integers(1, 4),
    dropout=st.floats(0.01, 0.99),
)
def test_subword_nmt_splits_alike_and_draws_alike(
    tmp_path_factory: pytest.TempPathFactory,
    train: list[str],
    text: list[str],
    threshold: int,
    dropout: float,
) -> None:
    folder = tmp_path_factory.mktemp("bpe")
    counts = Counter([*train, "ab"])
    learn_codes(counts, 30, 1, folder / CODES)
    splitter = SubwordSplitter(folder / CODES, None)
    seen = Counter(subword for word in counts.elements() for subword in splitter.split([word]))
    write_subword_counts(folder / "vocab.source", seen)
    if max(seen.values()) < threshold:
        with pytest.raises(InputError, match=r"vocabulary_threshold: expected at most"):
            SubwordSplitter.load(folder, "source", Segmentation(threshold, "bpe"))
        return
    with (folder / CODES).open() as codes, (folder / "vocab.source").open() as vocab:
        peer = BPE(codes, vocab=read_vocabulary(vocab, threshold))
    splitter = SubwordSplitter.load(folder, "source", Segmentation(threshold, "bpe"))
    assert " ".join(splitter.split(text)) == peer.process_line(" ".join(text))
    random.seed(threshold)  # subword-nmt draws from the interpreter's own generator
    generator = random.Random(threshold)
    found = [subword for word in text for subword in splitter.segment(word, dropout, generator)]
    assert found == peer.segment_tokens(text, dropout)


def test_counts_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_subword_counts(tmp_path / "vocab", {"a": 1, "b@@": 3, "c": 1})
    assert (tmp_path / "vocab").read_text("utf-8") == "b@@ 3\na 1\nc 1\n"
    assert read_subword_counts(tmp_path / "vocab") == {"b@@": 3, "a": 1, "c": 1}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bpe.codes", "", "bpe.codes:1: expected BPE codes: '#version: 0.2', got ''"),
        ("bpe.codes", "#version: 0.2\na b\nc\n", "bpe.codes:3: expected a merge of two symbols,"),
        ("bpe.codes", "#version: 0.2\na b\n\n", "bpe.codes:3: expected a merge of two symbols,"),
        ("vocab.source", "a 3\nb\n", "vocab.source:2: expected `subword count`, got 'b'"),
        ("vocab.source", "a 3\nb x\n", "vocab.source:2: expected `subword count`, got 'b x'"),
        ("vocab.source", " 3\n", "vocab.source:1: expected `subword count`, got ' 3'"),
    ],
)
def test_malformed_files_are_named(codes: Path, name: str, content: str, message: str) -> None:
    write_subword_counts(codes.with_name("vocab.source"), {"low": 3})
    codes.with_name(name).write_text(content)
    with pytest.raises(InputError, match=re.escape(message)):
        SubwordSplitter.load(codes.parent, "source", Segmentation(1, "bpe"))


def test_a_word_that_ends_in_the_mark_is_of_its_corpus(codes: Path) -> None:
    write_merges(codes, [("@", "@</w>"), ("=", "@@</w>"), ("=", "=@@</w>")])
    assert SubwordSplitter(codes, {"==@@"}).split(["==@@"]) == ["==@@"]


def test_codes_of_another_corpus_give_no_such_subword(codes: Path) -> None:
    SubwordSplitter(codes, {"low", "l@@", "é"})  # single characters need no merge
    with pytest.raises(InputError, match=r"bpe\.codes: no merge gives 'gut': .*corpora$"):
        SubwordSplitter(codes, {"gut"})
