"""Which languages a corpus is of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mgsa.base.errors import InputError
from mgsa.base.io import write_json
from pipeline.languages import read_languages


def test_languages_are_read(tmp_path: Path) -> None:
    write_json(
        tmp_path / "corpus.json", {"source_language": "en", "target_language": "de", "name": "x"}
    )
    assert read_languages(tmp_path) == {"source": "en", "target": "de"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (["en"], "corpus: expected a section with keys, got "),
        ({"source_language": "en"}, "corpus.target_language: missing; expected text of two or"),
        (
            {"source_language": "../x", "target_language": "de"},
            "corpus.source_language: expected text of two or three letters, the code of a language,"
            " got '../x'",
        ),
    ],
)
def test_what_is_no_language_is_named(tmp_path: Path, content: Any, message: str) -> None:
    write_json(tmp_path / "corpus.json", content)
    with pytest.raises(InputError) as raised:
        read_languages(tmp_path)
    assert str(raised.value).startswith(f"{tmp_path / 'corpus.json'}: {message}")
