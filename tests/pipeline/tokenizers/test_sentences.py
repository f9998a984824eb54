"""Sentences of a line end where people end them, and not behind abbreviations and numbers."""

from __future__ import annotations

import pytest

from pipeline.tokenizers.sentences import split_sentences

SENTENCES = {
    "en": [
        "The dog sleeps.|The cat runs.|The old woman reads a book.",
        "Dr. Smith came home.",
        "Mr. and Mrs. Jones live at 5 St. James St. in London.",
        "It costs 3.5 m and weighs 1.2 kg.",
        "The U.S. Army is big.|It has tanks.",
        'He said "Go!"|Then he left.',
        "(He slept.)|She ran.",
        "Is it late?|Yes!|Go home.",
        "See e.g. the book by J. R. R. Tolkien.",
        "He came at 5 p.m. on Monday.",
        "Visit www.example.com today.|It is good.",
        "Apple Inc. makes phones.|It is No. 5.",
        "the cat ... sleeps",
        "1. The dog sleeps.",
        "It works.|🙂 Nice.",
        " A dog. ",
        "",
    ],
    "de": [
        "Der Hund schläft.|Die Katze rennt.",
        "Wir kommen z. B. heute.",
        "Das ist z.B. ein Hund.|Er bellt.",
        "Am 3. Oktober ist frei.",
        "Das kostet ca. 3,50 Euro bzw. mehr.",
        "Er sagte: „Geh!“|Dann ging er.",
    ],
    "fr": [
        "M. Dupont et Mme Durand sont là.",
        "Est-ce vrai ?|Oui !|Bien sûr.",
        "Il a dit « Viens ! »|Puis il est parti.",
        "Voir p. 12 et art. 5 du code.",
    ],
    "es": ["¿Qué hora es?|¡Vamos!|Son las tres."],
    "ru": ["Он жил на ул. Ленина.|Там тихо."],
    "ar": ["الكلب نائم.|هل القط هنا؟|نعم."],
    "hi": ["कुत्ता सो रहा है।|बिल्ली दौड़ती है।", "डॉ. शर्मा आए।"],
    "ja": [
        "犬は寝ています。|猫は走る。",
        "彼は「行け。」と言った。|私は帰った。",
        "３．５円です。|安い。",
    ],
    "zh": ["狗在睡觉。|猫在跑！|他呢？", "他说：“走吧。”然后他走了。", "价格是3.5元。|很便宜。"],
    "my": ["ခွေးအိပ်သည်။|ကြောင်ပြေးသည်။"],
}
"""By language, lines with a bar where a sentence ends; all but zh, ja and my have a blank there."""


@pytest.mark.parametrize(
    ("language", "line"), [(code, line) for code, lines in SENTENCES.items() for line in lines]
)
def test_sentences_end_where_they_end(language: str, line: str) -> None:
    blank = "" if language in ("zh", "ja", "my") else " "
    assert split_sentences(line.replace("|", blank), language) == line.split("|")


@pytest.mark.timeout(10)
def test_a_long_line_without_sentences_is_quick() -> None:
    for unit in (".", "。", "A. ", '."', "」"):
        text = unit * 30_000
        assert "".join(split_sentences(text, "en")) == text
