"""Case of tokens: as it is, lower, or that which a word has inside of sentences (Moses' truecaser).

Source: sacremoses' port of Moses' train-truecaser and truecase.
"""

from collections.abc import Sequence
from pathlib import Path

from mgsa.cli.errors import InputError
from mgsa.cli.files import atomic_file, read_lines
from pipeline.formats.text import SIDES, SPLITS

_DOTTED = ("tr", "az", "crh", "gag")
"""Languages whose `i` keeps its dot as a capital, and whose `I` has none as a small letter."""


def lowered(text: str, language: str) -> str:
    """A text in lower case."""
    if language in _DOTTED:
        text = text.replace("İ", "i").replace("I", "ı")
    return text.lower()


def capitalized(word: str, language: str) -> str:
    """A word with a capital at its beginning."""
    if language in _DOTTED and word.startswith("i"):
        return f"İ{word[1:]}"
    if language == "nl" and word.startswith("ij"):
        return f"IJ{word[2:]}"
    return word[:1].title() + word[1:]


def truecase_splits(folder: Path) -> None:
    """Learn the case of words on the training split of tokenised text, and set it in every split.

    The model, counts inside of sentences, is in `truecase.SIDE`.
    """
    from sacremoses import MosesTruecaser

    for side in SIDES:
        sentences = [line.split(" ") for line in read_lines(folder / f"train.{side}")]
        learned = folder / f"truecase.{side}"
        MosesTruecaser().train(sentences, save_to=str(learned))
        truecaser = Truecaser(learned)
        for path in [folder / f"{split}.{side}" for split in SPLITS]:
            with atomic_file(path) as file:
                for line in read_lines(path):
                    file.write(f"{' '.join(truecaser.truecase(line.split(' ')))}\n")


class Truecaser:
    """Gives words the case that they have inside of sentences, and takes it from the first one."""

    def __init__(self, path: Path) -> None:
        """Read what `truecase_splits` wrote; an `InputError` if it is missing or malformed."""
        from sacremoses import MosesTruecaser

        if not path.is_file():
            raise InputError("no such file; tokenize.case: truecase needs it", path=path)
        try:
            self._moses = MosesTruecaser(str(path))
        except (ValueError, IndexError) as error:
            raise InputError(f"expected a truecaser of Moses: {error}", path=path) from None

    def truecase(self, tokens: list[str]) -> list[str]:
        """The tokens in their true case."""
        cased: list[str] = self._moses.truecase(" ".join(tokens), use_known=True)
        # Markup costs the original its tokens.
        return cased if len(cased) == len(tokens) else tokens

    def undo(self, tokens: Sequence[str], language: str) -> list[str]:
        """The tokens with the first letter of each sentence in upper case."""
        starts, done = True, []
        for token in tokens:
            letters = any(map(str.isalpha, token))
            done.append(capitalized(token, language) if starts and letters else token)
            starts = (starts and not letters) or token in self._moses.SENT_END - {":"}
        return done
