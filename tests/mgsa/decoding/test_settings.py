from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.decoding.settings import STANDARD, read_translate_config

SECTION = """\
translate:
  beam: 3
  length_penalty: 1.0
  max_length_ratio: 3
  max_length_extra: 4
  batch_tokens: 100
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.yaml"
    path.write_text(SECTION, encoding="utf-8")
    return path


def test_a_file_says_it_and_overrides_say_it_last(file: Path) -> None:
    config = read_translate_config(file, ["beam=7"])
    assert (config.beam, config.length_penalty, config.max_length_ratio) == (7, 1.0, 3.0)
    assert (config.max_length_extra, config.batch_tokens) == (4, 100)


def test_without_a_file_the_standard_holds() -> None:
    assert read_translate_config(None, []) == STANDARD
    assert read_translate_config(None, ["beam=1"]).beam == 1


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["beam=0"], "translate.beam: expected a whole number from 1 to 1000, got 0"),
        (
            ["max_length_ratio=1.0e+308"],
            "max_length_ratio: expected a number from 0 to 100",
        ),
        (["width=3"], "translate.width: unknown key"),
        (
            ["length_penalty=-0.1"],
            "translate.length_penalty: expected a number from 0 to 10, got",
        ),
    ],
)
def test_a_wrong_key_is_named(file: Path, overrides: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_translate_config(file, overrides)


def test_a_missing_section_is_named(file: Path) -> None:
    file.write_text("train: {}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"some\.yaml: translate: missing section"):
        read_translate_config(file, [])
