"""Text comes back from its tokens, in every language and by every tokeniser."""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from mgsa.cli.errors import InputError
from pipeline.formats.text_settings import TextSettings, TokenizerKind, text_settings
from pipeline.statistics.bleu_tokenizers import choose_tokenizer
from pipeline.tokenizers import tokenizer_of
from pipeline.tokenizers.cleaning import clean
from pipeline.tokenizers.side import SideText

SENTENCES = dict(
    line.split("\t")
    for line in Path(__file__).with_name("sentences.tsv").read_text("utf-8").splitlines()
)
"""A sentence with quotes, numbers and marks of each language, by its code."""
DEFAULTS = text_settings(Path(__file__).parents[3] / "params.yaml")


@pytest.mark.parametrize("language", SENTENCES)
def test_a_perfect_translation_has_a_bleu_of_100(language: str) -> None:
    text = SENTENCES[language]
    target = SideText(DEFAULTS, "target", language)
    found = target.detokenize(target.tokenize(text))
    assert found == clean(text)
    tokenize = choose_tokenizer("auto", language)
    assert sacrebleu.corpus_bleu([found], [[text]], tokenize=tokenize).score == pytest.approx(100)


@pytest.mark.parametrize("kind", ["moses", "spacy", "characters", "none"])
@pytest.mark.parametrize("language", ["en", "fr", "de", "fi", "zh", "ja", "ko", "vi", "ar", "hi"])
def test_each_tokeniser_is_undone(kind: str, language: str) -> None:
    text = clean(SENTENCES[language])
    tokenizer = tokenizer_of(kind, language)  # type: ignore[arg-type]
    tokens = tokenizer.tokenize(text)
    assert tokenizer.detokenize(tokens) == text
    assert " ".join(tokens).split() == tokens
    assert not any(unicodedata.category(token[0]).startswith("M") for token in tokens)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fi", "EU:n jäsenet kokoontuvat USA:ssa klo 10:30."),
        ("de", "Das Buch kostet 5 € und das Heft 3 £ im Laden."),
        ("de", "Das Spiel endete 3:1 (1:0), d. h. gut."),
        ("en", "The dogs' food isn't in O'Brien's and/or my 5\" tin, 'tis said."),
        ("en", "Visit https://example.com/a_b?q=1 or mail john.doe@mail.example.org today."),
        ("en", "Thanks @user for #NMT and C++."),
        ("en", "The <b>old</b> man clicked __URL__ or ｟ph_1｠."),
        ("nl", "'s Avonds zit hij in 't huis; 't is zo'n dag."),
        ("it", "Un po' d'acqua, l'amico e quell'anno; anni '90."),
        ("ko", "나는 학교에 갑니다."),
        ("th", "น้ำ ไม่ ร้อน"),
        ("vi", "Tôi là sinh viên."),
        ("hi", "वह 'हाँ' बोला, 5% ज़्यादा।"),
        ("tr", "Ankara'nın 3,5 milyon nüfusu var."),
        ("uk", "Об'єднання, п'ять і м'ята."),
        ("ru", "Кто-то сказал: «Да…» — и ушёл."),
        ("en", "👩\u200d👧 cafe\u0301 👍🏽!"),
    ],
)
def test_what_detokenisers_break_is_kept(language: str, text: str) -> None:
    target = SideText(DEFAULTS, "target", language)
    assert target.detokenize(target.tokenize(text)) == clean(text)


def test_french_gets_the_blanks_of_french() -> None:
    target = SideText(DEFAULTS, "target", "fr")
    assert target.tokenize("«Quoi?»") == ["«", "Quoi", "?", "»"]
    assert target.detokenize(["«", "Quoi", "?", "»"]) == "« Quoi ? »"


PIECES = ["word", "Ωμέγα", "слово", "中文", "ไทย", "한국", "10", "3.5", "don't", "e\u0301", "क्या"]
MARKS = [*".,:;!?()[]\"'«»„“”…%$€-–/&", "...", "'s", "https://x.y/z", "<b>", "</b>"]


cached_tokenizer = cache(tokenizer_of)
OF_LANGUAGES: list[tuple[TokenizerKind, str]] = [
    ("moses", "en"),
    ("moses", "xh"),
    ("spacy", "de"),
    ("penn", "en"),
]


@given(st.lists(st.sampled_from([*PIECES, *MARKS, " "]), max_size=14).map("".join).map(clean))
@settings(max_examples=300)
def test_nothing_but_blanks_differs_in_any_text(text: str) -> None:
    for kind, language in OF_LANGUAGES:
        tokenizer = cached_tokenizer(kind, language)
        tokens = tokenizer.tokenize(text)
        same = "".join(text.split()).replace("''", '"' if kind == "penn" else "''")
        assert "".join(tokenizer.detokenize(tokens).split()) == same
        # A blank is never put in: what stands together in the text does so in what comes back.
        assert len(tokenizer.detokenize(tokens).split()) <= len(text.split())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("I don't know (yet).", "I do n't know ( yet ) ."),
        ('"Go!" he said.', "`` Go ! '' he said ."),
        ("I cannot go.", "I cannot go ."),
    ],
)
def test_penn_tokens_are_those_of_the_treebank(text: str, tokens: str) -> None:
    penn = tokenizer_of("penn", "en")
    assert " ".join(penn.tokenize(text)) == tokens
    assert penn.detokenize(tokens.split()) == text


def test_words_of_chinese_and_japanese_are_found() -> None:
    assert tokenizer_of("spacy", "zh").tokenize("我爱北京天安门。") == [
        "我",
        "爱",
        "北京",
        "天安门",
        "。",
    ]
    assert "これ" in tokenizer_of("spacy", "ja").tokenize("これにより、なる。")


def test_given_tokens_are_kept_byte_for_byte() -> None:
    settings = text_with(source="none")
    tokens = ["do", "n't", "“x”", "a\xa0b", "e\u0301", "&apos;"]
    assert SideText(settings, "source", "en").tokenize(" ".join(tokens)) == tokens


def test_case_is_lower_and_what_is_protected_one_token() -> None:
    lower = SideText(text_with(case="lower"), "source", "en")
    assert lower.tokenize("The Man!") == ["the", "man", "!"]
    kept = SideText(text_with(), "source", "en")
    tokens = "<2de> The <b> old </b> man saw ( http://x.y/a?b=(c ) ."
    assert " ".join(kept.tokenize("<2de> The <b>old</b> man saw (http://x.y/a?b=(c) .")) == tokens


@pytest.mark.parametrize(
    ("language", "text", "tokens"),
    [
        ("en", "<script>x", "<script> x"),
        ("en", "pre｟ph_1｠post,__URL__!", "pre ｟ph_1｠ post , __URL__ !"),
        ("en", "a<i>c</i>d", "a <i> c </i> d"),
        ("de", "info@köln.de, https://köln.de/Straße.", "info@köln.de , https://köln.de/Straße ."),
        ("zh", "请看http://a.cn/x。谢谢", "http://a.cn/x"),
        ("zh", "邮箱abc@x.cn谢谢", "abc@x.cn"),
        ("zh", "点击__URL__，｟甲｠好", "__URL__ ｟甲｠"),
    ],
)
def test_what_is_protected_is_one_token_wherever_it_stands(
    language: str, text: str, tokens: str
) -> None:
    kind = "spacy" if language == "zh" else "moses"
    side = SideText(text_with(source=kind), "source", language)
    assert language == "zh" or side.tokenize(text) == tokens.split()
    assert {*tokens.split()} <= {*side.tokenize(text)}
    found = side.detokenize(side.tokenize(text))
    assert "".join(found.split()) == "".join(text.split())


def test_each_protected_pattern_is_its_own() -> None:
    """Flags, back-references and matches of nothing are of one pattern, not of them all."""
    patterns = (r"(\w)~\1", r"(?x)(\d)/\1 # of a bar", "a*", r"(?i)opus")
    side = SideText(text_with(source="characters", protected=patterns), "source", "en")
    assert side.tokenize("OPUS 4/4 caab~b") == ["OPUS", "▁", "4/4", "▁", "c", "aa", "b~b"]


@pytest.mark.parametrize(("kind", "language"), [("penn", "de"), ("spacy", "xh")])
def test_a_tokeniser_that_a_language_lacks_is_refused(kind: str, language: str) -> None:
    with pytest.raises(InputError, match=f"tokenize: .*{language}"):
        tokenizer_of(kind, language)  # type: ignore[arg-type]


def text_with(**changed: object) -> TextSettings:
    return TextSettings(**{**vars(DEFAULTS), **changed})
