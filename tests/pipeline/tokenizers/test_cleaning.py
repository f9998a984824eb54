"""Text before it is tokenised."""

import pytest

from pipeline.formats.text_settings import Protected
from pipeline.tokenizers.cleaning import PunctuationNormalizer, clean


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain text.", "plain text."),
        ("a\tb\u2028c\u2029d\x0be\x85f\rg\x1ch", "a b c d e f g h"),
        (" a\u200bb\xa0 c\u3000", "a b c"),
        ("a\ufeffd\xade\u202ef\u2060g", "adefg"),
        ("a\x00b\x07c\x7fd\x9fe", "abcde"),
        ("u\u0308ber", "über"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\u200cمی \u200dx", "می x"),
        ("👩\u200d👧 🏴\U000e0067\U000e007f", "👩\u200d👧 🏴\U000e0067\U000e007f"),
        ("\ue000 \u0378", "\ue000 \u0378"),
    ],
    ids=[
        *("plain", "white", "blanks", "format", "control", "nfc", "joiner"),
        *("loose joiner", "emoji", "private"),
    ],
)
def test_characters_that_nobody_sees_go(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_punctuation_becomes_plain_but_in_what_is_protected() -> None:
    protected = Protected([r"https?://\S+"])
    normalizer = PunctuationNormalizer("en", protected)
    text = "“Look” – at https://x.y/a_(b);c “here”"
    assert normalizer.normalize(text) == '"Look" - at https://x.y/a_(b);c "here"'
    assert normalizer.normalize("http://x.y/(“a”)") == "http://x.y/(“a”)"
