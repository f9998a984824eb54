"""Language codes: `pt_BR`, `zh-TW`, `kor` and `eng_Latn` to the languages that rules are for."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from mgsa.cli.errors import InputError

CHINESE = ("zh", "yue", "wuu", "gan", "lzh")
UNSPACED = frozenset(
    (*CHINESE, "ja", "th", "tts", "nod", "lo", "km", "my", "mnw", "shn", "bo", "dz")
)
"""Languages written without blanks between words."""
UNSPACED_SCRIPTS = (
    r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
)
"""Their letters, in a class of characters of the library regex."""


@cache
def base_language(code: str) -> str:
    """The language of a code, in two letters where there are: `pt`, `zh`, `ko`, `en`.

    A language of a macrolanguage is that one: `cmn` is `zh`, `pes` is `fa`.

    Raises:
        InputError: there is no such language.
    """
    import langcodes

    try:
        language = langcodes.Language.get(code)
        known = language.is_valid() and language.language not in ("mul", "mis", "zxx")
    except langcodes.LanguageTagError:
        known = False
    if not known or not language.language:
        expected = "a language code such as en, pt_BR or zho_Hans"
        raise InputError(f"expected {expected}, got {code!r}")
    base: str = language.prefer_macrolanguage().language
    return base


@cache
def known_language(code: str) -> str:
    """`base_language` of a code in someone's file; blank if it is none, such as `Chinese`."""
    try:
        return "" if code == "any" else base_language(code)  # WMT's word, and a language's code
    except InputError:
        return ""


def matching_code(codes: Iterable[str], language: str) -> str | None:
    """The one of `codes` that is the language's, that with its region if there are several."""

    def plain(code: str) -> str:
        return code.replace("-", "_").lower()

    alike = [code for code in codes if known_language(code) == base_language(language)]
    return next((code for code in alike if plain(code) == plain(language)), next(iter(alike), None))


class LanguageCode:
    """Marks a setting as a code that `base_language` knows."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """A `str`, then checked."""
        from pydantic_core import core_schema

        def checked(code: str) -> str:
            base_language(code)
            return code

        return core_schema.no_info_after_validator_function(checked, handler(source))
