"""Shares are those of the table; every heat map of the folder is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from pipeline.report_page.sections.attention import context, kind_name
from tests.report_folders import PLAIN, SHARES, SYSTEM, inputs_of, write_run


def test_shares_by_quadrant_and_layer(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run))
    assert shown is not None
    ((name, (encoder, cross)),) = shown["systems"]
    assert name == SYSTEM
    assert (encoder.place, encoder.layer) == ("encoder", 1)
    assert encoder.quadrants == {"token_to_token": 0.25, "token_to_phrase": 0.75}
    assert encoder.kinds == {"words": 0.25, "syntactic 1": 0.5, "syntactic 2": 0.25}
    assert [(part.start, part.width) for part in encoder.parts] == [(0, 25), (25, 75)]
    assert cross.quadrants == {"token_to_token": 1.0}
    assert shown["quadrants"] == ["token_to_token", "token_to_phrase"]


def test_heat_maps_are_of_their_sentence(finished_run: Path) -> None:
    shown = context(inputs_of(finished_run, compared=[finished_run / "second"]))
    assert shown is not None
    assert [(one.system, one.split, one.sentence, one.place) for one in shown["heat_maps"]] == [
        (SYSTEM, "test", 1, "encoder"),
        ("second", "test", 1, "encoder"),
    ]
    assert shown["heat_maps"][0].source == PLAIN[1]
    ((layer, drawing),) = shown["heat_maps"][0].maps
    assert layer == 1
    assert drawing.startswith("data:image/svg+xml;base64,")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("words", "words"),
        ("syntactic_1", "syntactic 1"),
        ("ngram_1_to_ngram_2", "words to 2-grams"),
        ("ngram_2_to_ngram_1", "2-grams to words"),
    ],
)
def test_kinds_have_names_for_people(kind: str, name: str) -> None:
    assert kind_name(kind) == name


def test_without_attention_there_is_no_section(finished_run: Path) -> None:
    assert context(inputs_of(finished_run, "attention")) is None


def test_an_unknown_quadrant_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b", "c d"])
    path = tmp_path / "own/attention/attention_shares.csv"
    path.write_text(SHARES.replace("token_to_phrase", "here_to_there", 1), "utf-8")
    with pytest.raises(InputError, match=r"attention_shares.csv:3: expected one of token_to_token"):
        context(inputs_of(tmp_path))
