"""Curves are those of DVCLive's files, shares those of `analyze`, accuracies those of `probe`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import read_json, write_json
from pipeline.probing.accuracies import MAJORITY, Accuracy, report_of
from pipeline.report_page.blocks import Legend, Part
from pipeline.report_page.model import CURVES, GREY, attention, curves, kind_name, probing
from tests.report_folders import (
    PLAIN,
    SHARES,
    SYSTEM,
    flat,
    inputs_of,
    tables_of,
    text_of,
    titles_of,
    write_run,
)


def test_every_point_of_every_system_is_in_the_table(finished_run: Path) -> None:
    found = tables_of(curves(inputs_of(finished_run, compared=[finished_run / "second"])))
    assert found == {
        "Validation loss (NLL a token)": [
            ["100", "5.500", "6.500"],
            ["200", "3.250", "4.250"],
            ["300", "2.500", "3.500"],
        ],
        # What is not a number has no place; what is zero throughout has no chart.
        "Validation perplexity": [["200", "7.500", "7.500"]],
        "Ends of the trainings": [[SYSTEM, "300", "2,018,764"], ["second", "300", "2,018,764"]],
    }


def test_without_curves_there_is_no_section(finished_run: Path, tmp_path: Path) -> None:
    assert list(curves(inputs_of(finished_run, "curves"))) == []
    write_run(tmp_path, ["a b"])
    for path in (tmp_path / "own/curves" / CURVES).iterdir():
        path.unlink()
    assert list(curves(inputs_of(tmp_path))) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("step\tloss\n1\t2\n", "valid_nll.tsv:1: expected a column valid_nll"),
        ("step\tvalid_nll\n1\tlow\n", "valid_nll.tsv:2: valid_nll: expected a number, found 'low'"),
        ("step\tvalid_nll\n1\n", "valid_nll.tsv:2: expected 2 values, found 1"),
    ],
)
def test_a_malformed_curve_is_named(tmp_path: Path, text: str, message: str) -> None:
    write_run(tmp_path, ["a b"])
    (tmp_path / "own/curves" / CURVES / "valid_nll.tsv").write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        list(curves(inputs_of(tmp_path)))


def test_shares_by_quadrant_and_layer(finished_run: Path) -> None:
    shown = list(attention(inputs_of(finished_run)))
    assert tables_of(shown)[f"Shares of attention of {SYSTEM}"] == [
        ["encoder", "1", "25.0%", "75.0%", "subwords 25.0%, syntactic 1 50.0%, syntactic 2 25.0%"],
        ["cross", "1", "100.0%", "0.0%", "subwords 100.0%"],
    ]
    assert "phrase to" not in text_of(shown)  # a quadrant that nothing attends from


def test_shares_that_say_nothing_are_left_out(tmp_path: Path) -> None:
    """A Transformer attends to subwords alone."""
    write_run(tmp_path, PLAIN)
    rows = [row for row in SHARES.splitlines() if "token_to_phrase" not in row]
    (tmp_path / "own/attention/attention_shares.csv").write_text("\n".join(rows) + "\n", "utf-8")
    shown = list(attention(inputs_of(tmp_path)))
    assert titles_of(shown) == []
    assert "every layer attends from subwords to subwords alone" in text_of(shown)
    assert list(attention(inputs_of(tmp_path, "attention"))) == []


def test_heat_maps_are_of_their_sentence(finished_run: Path) -> None:
    shown = list(attention(inputs_of(finished_run, compared=[finished_run / "second"])))
    maps = [block.context["maps"] for block in flat(shown) if isinstance(block, Part)]
    assert [[layer for layer, _ in some] for some in maps] == [[1], [1]]
    assert all(picture.startswith("data:image/svg+xml;base64,") for ((_, picture),) in maps)
    assert f"encoder self-attention of test, sentence 1 {PLAIN[1]}" in text_of(shown)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("words", "subwords"),
        ("syntactic_1", "syntactic 1"),
        ("ngram_1_to_ngram_2", "subwords to 2-grams"),
        ("ngram_2_to_ngram_1", "2-grams to subwords"),
    ],
)
def test_kinds_have_names_for_people(kind: str, name: str) -> None:
    assert kind_name(kind) == name


def test_an_unknown_quadrant_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, ["a b", "c d"])
    path = tmp_path / "own/attention/attention_shares.csv"
    path.write_text(SHARES.replace("token_to_phrase", "here_to_there", 1), "utf-8")
    with pytest.raises(InputError, match=r"attention_shares.csv:3: expected one of token_to_token"):
        list(attention(inputs_of(tmp_path)))


def test_accuracies_are_of_the_last_layers_and_of_all(finished_run: Path) -> None:
    shown = list(probing(inputs_of(finished_run)))
    found = tables_of(shown)
    assert found["Voice"] == [
        [MAJORITY, "", "61.2", ""],
        ["model", "2", "85.0", "72.0 to 95.5"],
        ["scratch_<b>", "3", "90.0", "73.0 to 95.5"],
    ]
    assert found["Voice by layer"] == [
        ["1", "80.0 (71.0 to 95.5)", ""],
        ["2", "85.0 (72.0 to 95.5)", ""],
        ["3", "", "90.0 (73.0 to 95.5)"],
    ]
    assert found["Classes of Voice in each split"] == [
        ["active", *["49"] * 3],
        ["passive", *["31"] * 3],
        ["none", *["3"] * 3],
    ]
    assert "Left out, for want of labels: Tense." in text_of(shown)
    (legend,) = (block for block in shown if isinstance(block, Legend))
    assert legend.styles == {"model": 0, "scratch_<b>": 1, MAJORITY: GREY}


def write_probes(folder: Path, cells: list[Accuracy], tasks: list[str]) -> None:
    write_run(folder, ["a b"])
    (folder / "reports/probe_data.json").unlink()
    recipe: dict[str, Any] = {"sentences": {"test": 80}, "tasks": tasks}
    write_json(folder / "reports/probe.json", report_of(cells, recipe))


def test_of_one_layer_there_is_no_curve(tmp_path: Path) -> None:
    cells = [Accuracy(f"m{i}", 1, "voice", 2, 80, 90.0, 89.0, 91.0, 60.0) for i in range(9)]
    write_probes(tmp_path, cells, ["voice"])
    shown = list(probing(inputs_of(tmp_path)))
    assert titles_of(shown) == ["Voice, last layers"]
    assert not any(isinstance(block, Legend) for block in shown)


def test_without_accuracies_there_is_no_section(tmp_path: Path) -> None:
    """As without a parser, which gives no labels."""
    write_probes(tmp_path, [], ["tss"])
    assert list(probing(inputs_of(tmp_path))) == []
    assert list(probing(inputs_of(tmp_path, "reports"))) == []


@pytest.mark.parametrize(
    ("stage", "key", "value", "message"),
    [
        ("probe", "cells", {}, "probe.json: cells: expected a list"),
        ("probe", "cells", [{"encoder": 1}], r"probe.json: cells\[0\].encoder: expected text"),
        ("probe", "test_sentences", "many", "probe.json: test_sentences: expected a number"),
        ("probe_data", "valid", {}, "probe_data.json: valid.voice: expected an object"),
        ("probe_data", "test", {"voice": {}}, "test.voice.active: expected a number, found none"),
    ],
)
def test_malformed_accuracies_are_named(
    tmp_path: Path, stage: str, key: str, value: object, message: str
) -> None:
    write_run(tmp_path, ["a b"])
    path = tmp_path / f"reports/{stage}.json"
    write_json(path, read_json(path) | {key: value})
    with pytest.raises(InputError, match=message):
        list(probing(inputs_of(tmp_path)))
