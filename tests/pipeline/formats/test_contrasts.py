"""The file format of contrastive variants: lines of JSON, and LingEval97's own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mgsa.cli.errors import InputError
from pipeline.formats.contrasts import Contrast, is_contrast, read_contrasts, write_contrasts

LINGEVAL = [
    {
        "source": "Prague Stock Market falls to minus by the end of the trading day",
        "reference": "Die Prager Börse stürzt gegen Geschäftsschluss ins Minus.",
        "origin": "newstest2009.1",
        "errors": [
            {
                "type": "np_agreement",
                "contrastive": "Der Prager Börse stürzt gegen Geschäftsschluss ins Minus.",
                "distance": 2,
                "frequency": 2020,
            },
            {
                "type": "polarity_particle_nicht_ins",
                "contrastive": "Die Prager Börse stürzt gegen Geschäftsschluss nicht ins Minus.",
            },
        ],
    },
    {"source": "Yes.", "reference": "Ja.", "origin": "newstest2009.2", "errors": []},
    {
        "source": "They sleep.",
        "reference": "Sie schlafen.",
        "origin": "newstest2009.3",
        "errors": [{"type": "subj_adequacy", "contrastive": "Sie schläft.", "distance": 1}],
    },
]
"""The form of lingeval97.json; the first object is the example of its README."""


def test_what_is_written_is_read(tmp_path: Path) -> None:
    contrasts = [Contrast(2, "noun", "Über „uns“.", 3), Contrast(2, "verb", "Zwei\u2028Teile.")]
    with (tmp_path / "test.contrast").open("w", encoding="utf-8") as file:
        write_contrasts(contrasts, file)
    lines = (tmp_path / "test.contrast").read_text(encoding="utf-8").split("\n")
    assert lines == [
        '{"line": 2, "category": "noun", "target": "Über „uns“.", "depth": 3}',
        '{"line": 2, "category": "verb", "target": "Zwei\u2028Teile."}',
        "",
    ]
    assert read_contrasts(tmp_path / "test.contrast", pairs=2) == contrasts


def test_an_empty_file_has_none(tmp_path: Path) -> None:
    (tmp_path / "test.contrast").touch()
    assert read_contrasts(tmp_path / "test.contrast", pairs=2) == []


@pytest.mark.parametrize("indent", [None, 2])
def test_lingeval97_is_read(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "lingeval97.json"
    path.write_text(json.dumps(LINGEVAL, indent=indent), encoding="utf-8")
    assert read_contrasts(path, pairs=3) == [
        Contrast(1, "np_agreement", "Der Prager Börse stürzt gegen Geschäftsschluss ins Minus."),
        Contrast(
            1,
            "polarity_particle_nicht_ins",
            "Die Prager Börse stürzt gegen Geschäftsschluss nicht ins Minus.",
        ),
        Contrast(3, "subj_adequacy", "Sie schläft."),
    ]


GOOD: dict[str, Any] = {"line": 1, "category": "noun", "target": "Text."}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"line": 1', "a.contrast:2: expected JSON: Expecting ',' delimiter"),
        ("3", "a.contrast:2: contrast: expected a section with keys, got 3"),
        (GOOD, r"a.contrast: expected each variant once, got one of line 1 again: Text."),
        (GOOD | {"lines": 1}, "a.contrast:2: contrast.lines: unknown key"),
        (GOOD | {"line": 3}, "a.contrast:2: contrast.line: expected 1 to 2, got 3"),
        (GOOD | {"line": 0}, "a.contrast:2: contrast.line: expected greater than or equal to 1"),
        (GOOD | {"target": ""}, "a.contrast:2: contrast.target: "),
        (GOOD | {"category": "a\nb"}, "a.contrast:2: contrast.category: "),
        ({"line": 1, "category": "noun"}, "a.contrast:2: contrast.target: missing key"),
    ],
)
def test_a_mistake_is_named_by_its_line(
    tmp_path: Path, content: str | dict[str, Any], message: str
) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    (tmp_path / "a.contrast").write_text(f"{json.dumps(GOOD)}\n{text}\n", encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)):
        read_contrasts(tmp_path / "a.contrast", pairs=2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[\n{]", "l.json:2: expected JSON: "),
        (json.dumps(LINGEVAL[:2]), "l.json: expected a sentence for each of 3 pairs, got 2"),
        ('[{"errors": [{"type": "x"}]}]', "sentences[0].errors[0].contrastive: missing key"),
        (f"[{json.dumps(GOOD)}]", "l.json:1: expected a JSON object a line, found an array"),
        ('[{"source": "x"}]', "l.json: sentences[0].errors: missing key"),
    ],
)
def test_a_mistake_in_lingeval97_is_named(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "l.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)):
        read_contrasts(tmp_path / "l.json", pairs=3)


@pytest.mark.parametrize(
    ("variant", "differs"),
    [
        ("Ein Hund schläft.", False),
        ("Ein Hund schla\u0308ft\u200b .", False),
        ("Ein\u00a0Hund  schl\u00adäft.", False),
        ("\ufeff \u200d", False),
        ("Ein Hund schläft", True),
        ("Ein hund schläft.", True),
        ("Ein Hundschläft.", True),
        ("Ein Hund schlaft.", True),
        ('Ein Hund schläft."', True),
    ],
)
def test_a_contrast_has_other_words_or_marks(variant: str, differs: bool) -> None:
    assert is_contrast(variant, "Ein Hund schläft.") == differs


def test_quotes_and_dashes_of_another_form_are_no_contrast() -> None:
    assert not is_contrast("\"Ja\" - 'nein' ...", "„Ja“ – ‚nein‘ …")
