"""Properties of what the grammar generates, and of the files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sacremoses import MosesTokenizer

from pipeline.formats.trees import bracketed, read_tree
from pipeline.sample import SamplePair, generate, write_sample

LEFT_OUT_IN_ENGLISH = {",", "dass", "den", "die", "das"}
"""A comma, a conjunction, a relative pronoun that translate nothing."""
SIZES: dict[str, Any] = {
    **{"train": 300, "valid": 40, "test": 40},
    **{"treebank_train": 50, "treebank_dev": 20, "ambiguity": 0.2, "source_language": "en"},
}


@pytest.fixture(scope="module")
def pairs() -> list[SamplePair]:
    return list(generate(1500, "a seed", ambiguity=0.2))


def test_leaves_are_the_tokens(pairs: list[SamplePair]) -> None:
    for pair in pairs:
        assert re.findall(r"\(\S+ ([^() ]+)\)", pair.tree) == pair.source_tokens
        assert bracketed(read_tree(pair.tree)) == pair.tree


def test_links_are_in_range_and_cover_the_words(pairs: list[SamplePair]) -> None:
    for pair in pairs:
        assert pair.links == sorted(set(pair.links))
        assert all(
            source < len(pair.source_tokens) and target < len(pair.target_tokens)
            for source, target in pair.links
        )
        assert not re.search(r" , [,.?!]", " ".join(pair.target_tokens))
        unlinked = set(range(len(pair.target_tokens))) - {target for _, target in pair.links}
        assert {pair.target_tokens[index] for index in unlinked} <= LEFT_OUT_IN_ENGLISH


def test_a_moses_tokeniser_splits_the_text_into_the_tokens(pairs: list[SamplePair]) -> None:
    english, german = MosesTokenizer("en"), MosesTokenizer("de")
    for pair in pairs[:500]:
        assert english.tokenize(pair.source, escape=False) == pair.source_tokens
        assert german.tokenize(pair.target, escape=False) == pair.target_tokens


def test_either_voice_has_either_tense(pairs: list[SamplePair]) -> None:
    seen = {(pair.voice, pair.tense) for pair in pairs}
    assert seen == {(v, t) for v in ("active", "passive") for t in ("past", "nonpast")}


def test_splits_share_no_pair(tmp_path: Path) -> None:
    write_sample(tmp_path, seed=3, **SIZES)

    def lines(name: str) -> list[str]:
        return (tmp_path / name).read_text("utf-8").splitlines()

    train, valid, test = (lines(f"{split}.source") for split in ("train", "valid", "test"))
    assert (len(train), len(valid), len(test)) == (300, 40, 40)
    assert len({*valid, *test}) == 80
    assert not {*train} & {*valid, *test}
    trained, held_out = lines("treebank/train.mrg"), lines("treebank/dev.mrg")
    assert (len(trained), len(held_out)) == (50, 20)
    assert not {*trained} & {*held_out, *lines("test.trees")}
