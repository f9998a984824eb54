"""Settings of the stage `parse`."""

from dataclasses import dataclass

from mgsa.cli.settings import Positive


@dataclass(frozen=True)
class ParseSettings:
    """Sentences of more than `max_words` words get a flat tree."""

    max_words: Positive
