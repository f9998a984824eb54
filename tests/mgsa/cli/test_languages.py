"""Language codes: all spellings of a language are that one, and what is none is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.languages import base_language
from mgsa.cli.settings import Language, from_mapping


@dataclass(frozen=True)
class _Settings:
    language: Language


@pytest.mark.parametrize(
    ("code", "base"),
    [
        *(("en", "en"), ("EN", "en"), ("eng", "en"), ("eng_Latn", "en"), ("pt_BR", "pt")),
        *(("zh-TW", "zh"), ("zho_Hans", "zh"), ("cmn", "zh"), ("kor", "ko"), ("pes", "fa")),
        *(("yue", "yue"), ("nb", "nb"), ("iw", "he"), ("en_XX", "en")),
    ],
)
def test_a_code_is_kept_as_given_and_its_language_known(code: str, base: str) -> None:
    assert from_mapping(_Settings, {"language": code}, "corpus").language == code
    assert base_language(code) == base


@pytest.mark.parametrize(
    "code", ["jp", "xx", "cn", "english", "und", "mul", "", " en", "../en", "en.de"]
)
def test_what_is_no_code_is_refused(code: str) -> None:
    expected = (
        f"corpus.language: expected a language code such as en, pt_BR or zho_Hans, got {code!r}"
    )
    with pytest.raises(InputError, match=f"^{re.escape(expected)}$"):
        from_mapping(_Settings, {"language": code}, "corpus")
