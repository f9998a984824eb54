"""Language codes: `pt_BR`, `zh-TW`, `kor` and `eng_Latn` to the languages that rules are for."""

from functools import cache
from typing import Any

from mgsa.cli.errors import InputError

CHINESE = ("zh", "yue", "wuu", "gan", "lzh")
UNSPACED = frozenset(
    (*CHINESE, "ja", "th", "tts", "nod", "lo", "km", "my", "mnw", "shn", "bo", "dz")
)
"""Languages written without blanks between words."""


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
        known = language.is_valid()
    except langcodes.LanguageTagError:
        known = False
    if not known or not language.language:
        expected = "a language code such as en, pt_BR or zho_Hans"
        raise InputError(f"expected {expected}, got {code!r}")
    base: str = language.prefer_macrolanguage().language
    return base


class LanguageCode:
    """Marks a setting as a code that `base_language` knows."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """A `str`, then checked."""
        from pydantic_core import core_schema

        def checked(code: str) -> str:
            base_language(code)
            return code

        return core_schema.no_info_after_validator_function(checked, handler(source))
