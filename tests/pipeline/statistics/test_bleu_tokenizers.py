"""The tokeniser for BLEU by target language, and what is refused."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any
from urllib.error import URLError

import pytest
from sacrebleu.metrics.bleu import BLEU

from mgsa.cli.errors import InputError
from pipeline.statistics import bleu_tokenizers
from pipeline.statistics.bleu_tokenizers import choose_tokenizer, loaded_tokenizer


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        *((code, "13a") for code in ("de", "en", "fr", "vi", "hi", "ar", "pt_BR", None)),
        *((code, "zh") for code in ("zh", "zh-TW", "yue")),
        *((code, "char") for code in ("th", "lo", "km", "my", "bo")),
        ("ja", "ja-mecab"),
        ("ko", "ko-mecab"),
    ],
)
def test_auto_goes_by_language(language: str | None, expected: str) -> None:
    assert choose_tokenizer("auto", language) == expected


@pytest.mark.parametrize("language", ["ja", "ko"])
def test_without_its_packages_a_language_is_compared_by_characters(
    monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setattr(bleu_tokenizers, "find_spec", lambda _name: None)
    assert choose_tokenizer("auto", language) == "char"
    with pytest.raises(InputError, match=rf"{language}-mecab needs .* pip install '\.\[cjk\]'"):
        choose_tokenizer(f"{language}-mecab", language)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("setting", "language", "message"),
    [
        ("13a", "zh", "auto or char for target language zh, which has no blanks between words"),
        ("intl", "th", "auto or char for target language th, which has no blanks between words"),
        ("13a", "ja-JP", "for target language ja-JP, which has no blanks between words, not 13a"),
        ("zh", "de", "auto, 13a or intl for target language de, not zh, which is for zh"),
        ("zh", "ja", "for target language ja, not zh, which is for zh"),
        ("ja-mecab", "zh", "for target language zh, not ja-mecab, which is for ja"),
        ("ko-mecab", "de", "for target language de, not ko-mecab, which is for ko"),
    ],
)
def test_one_that_cannot_fit_is_refused(setting: Any, language: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^bleu_tokenizer: expected .*{message}"):
        choose_tokenizer(setting, language)


@pytest.mark.parametrize("language", ["zh", "de", "th", "ko", None])
def test_some_fit_any_language(language: str | None) -> None:
    assert choose_tokenizer("char", language) == "char"
    assert choose_tokenizer("none", language) == "none"


def test_a_model_that_cannot_be_had_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*_args: object, **_options: object) -> None:
        raise URLError("no network")

    if find_spec("sentencepiece") is None:
        with pytest.raises(InputError, match="flores200 needs sentencepiece: expected pip install"):
            choose_tokenizer("flores200", "de")
    monkeypatch.setattr(bleu_tokenizers, "find_spec", lambda name: name)
    monkeypatch.setattr(BLEU, "__init__", no_network)
    with pytest.raises(InputError, match=r"flores200: expected sacreBLEU to load .*no network"):
        loaded_tokenizer("flores200", "de")
