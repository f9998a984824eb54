"""Text that is odd but legal goes through all stages, and what is a pair stays one."""

from __future__ import annotations

import io
import json
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from mgsa.data.dataset import open_dataset
from tests.all_stages import run_command, write_raw
from tests.lines import lines
from tests.model_folders import random_model
from tests.text_folders import WORDS

LONG = " ".join((WORDS.split() * 300)[:2000])
ODD_TEXTS = {
    "a\ttab\there": "a tab here",
    "a\u2028separator\u2029or two": "a separator or two",
    "zero\u200bwidth and\u200d joi\u00adned\ufeff": "zero width and\u200d joined",
    "control \x01 and \x0c and\x1f these\x85too\x7f": "control and and these too",
    "a carriage\rreturn": "a carriage return",
    "no\u00a0break": "no break",
    "brackets ( and ) and [ ] { }": "brackets ( and ) and [ ] { }",
    "spelled -LRB- and -RRB- too": "spelled -LRB- and -RRB- too",
    "levels ||| of |||": "levels ||| of |||",
    "the mark@@ of @@ subwords": "the mark@@ of @@ subwords",
    LONG: LONG,
}
"""Sentences, and their tokens."""


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the text stages made a dataset of odd text."""
    folder = tmp_path_factory.mktemp("odd")
    pairs = [(text, f"Satz {number} .") for number, text in enumerate(ODD_TEXTS)]
    write_raw(
        folder,
        {
            "train": [*pairs, ("\u200b\t", "nichts"), ("x" * 1001, "lang")],
            "valid": pairs,
            "test": pairs,
        },
    )
    with chdir(folder):
        for command in (
            *("corpus", "tokenize", "parser", "parse"),
            *("bpe", "partition", "align", "dataset"),
        ):
            assert run_command(command) == 0
    return folder


def test_odd_text_stays_in_pairs_through_all_stages(
    odd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(odd)
    assert run_command("verify") == 0
    dataset = open_dataset(Path("dataset"))
    assert list(dataset.texts("test", "source_text")) == list(ODD_TEXTS)
    assert list(dataset.texts("test", "source_tokens")) == list(ODD_TEXTS.values())
    numbers = [f"Satz {number} ." for number in range(len(ODD_TEXTS))]
    assert list(dataset.texts("test", "target_tokens")) == numbers
    for row in dataset.read("test"):
        assert [sum(level) for level in row.phrase_lengths] == [len(row.source)] * 3
    # Of the training split, what is too long or blank is dropped, and listed.
    assert list(dataset.texts("train", "target_tokens")) == numbers[:-1]
    dropped = lines(Path("tokenized/dropped.tsv"))[1:]
    assert dropped == ["train\t11\tlong", "train\t12\tempty", "train\t13\ttoken"]


def test_odd_text_is_translated_line_by_line(odd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As rows of a dataset, and as raw text; scores compare what belongs together."""
    monkeypatch.chdir(odd)
    for name in ("model", "words"):  # the same, under the names that the commands use
        random_model(Path(name), Path("dataset"), multi_granularity=None)
    short = ["--set", "max_length_ratio=0"]  # a random model would go on for all 2,000 words
    assert run_command("translate", *short) == 0
    assert run_command("evaluate") == 0
    report = json.loads(Path("reports/evaluate.json").read_text(encoding="utf-8"))
    assert report["sentences"] == len(ODD_TEXTS)
    assert run_command("phrasal_patterns") == 0

    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    text = "".join(f"{line}\n" for line in [*ODD_TEXTS, "", "\u200b\t"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    monkeypatch.setattr(sys, "stdout", out)
    assert run_command("translate text", *short) == 0
    said = out.buffer.getvalue().decode().split("\n")
    assert said == [*lines(Path("translations/test.hypotheses")), "", "", ""]
