"""Tokens as given, byte for byte: text whose words are separated by blanks already."""

from collections.abc import Sequence


class GivenTokens:
    """Text split at blanks, and joined by them."""

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a line."""
        return [token for token in text.replace("\t", " ").split(" ") if token]

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The line of `tokens`."""
        return " ".join(tokens)
