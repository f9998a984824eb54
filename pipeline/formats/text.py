r"""Parallel text on disk: UTF-8, one sentence a line, lines that end with `\n` and nothing else."""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import IO

from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write, read_json, read_lines
from mgsa.cli.settings import Language, from_excerpt

SPLITS = ("train", "valid", "test")
SIDES = ("source", "target")
TREEBANK_PARTS = ("train", "dev")
ANNOTATIONS = ("trees", "links", "voice", "tense")
"""What a corpus may bring with its pairs, one line each: trees and labels of the source side."""
Pair = tuple[str, str]
"""Source and target, tokens with one space between them."""

_BYTE_ORDER_MARK = "\ufeff"
_SEGMENT = re.compile(r"<seg\b[^>]*>(.*?)</seg>", re.IGNORECASE)


def read_sentences(path: Path) -> Iterator[str]:
    r"""Yield the lines of a text file without their ends.

    Only `\n` and `\r\n` end a line: U+2028, form feeds and the like are characters of a
    sentence. A byte order mark is skipped. `.gz` is decompressed; of a WMT test set in `.sgm`, each
    segment is a line.

    Raises:
        InputError: no such file, an empty file, damaged gzip, invalid UTF-8.
    """
    lines = read_lines(path, gzip.open if path.suffix == ".gz" else open)
    if path.name.removesuffix(".gz").endswith(".sgm"):
        lines = (segment for line in lines for segment in _SEGMENT.findall(line))
    number = 0
    try:
        for number, line in enumerate(lines, start=1):
            yield (line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line).removesuffix("\r")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"damaged gzip file: {error}", path=path) from None
    if not number:
        raise InputError("empty file; expected a line for each sentence", path=path)


def read_parallel(
    paths: Sequence[Path], lines: Iterable[Iterator[str]] | None = None
) -> Iterator[tuple[str, ...]]:
    """Yield a tuple of lines, one of each file, by `read_sentences` unless they are given.

    Raises:
        InputError: as `read_sentences`, or the files differ in their numbers of lines.
    """
    files = [*(lines or map(read_sentences, paths))]
    for number, row in enumerate(zip_longest(*files)):
        if None in row:
            counts = {
                path: number + (line is not None) + sum(1 for _ in file)
                for path, line, file in zip(paths, row, files, strict=True)
            }
            raise unequal_lines(counts)
        yield row


def read_splits(*columns: tuple[Path, str]) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Yield split, line number and texts of the files `FOLDER/SPLIT.NAME`."""
    for split in SPLITS:
        rows = read_parallel([folder / f"{split}.{name}" for folder, name in columns])
        for line, texts in enumerate(rows, start=1):
            yield split, line, texts


@contextmanager
def files_to_write(folder: Path, names: Iterable[str]) -> Iterator[dict[str, IO[str]]]:
    """Open files of a folder for writing, by name."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(open_to_write(folder / name)) for name in names}


def split_tokens(text: str, *, path: Path, line: int) -> list[str]:
    """The tokens of a line of tokenised text.

    Raises:
        InputError: no token, a separator other than one space, or a tab or carriage return.
    """
    tokens = text.split(" ")
    if "" in tokens:
        found = "" if text else ", found an empty line"
        raise InputError(
            f"expected tokens with one space between them{found}", path=path, line=line
        )
    if "\t" in text or "\r" in text:
        raise InputError("expected tokens without tabs and carriage returns", path=path, line=line)
    return tokens


def unequal_lines(counts: Mapping[Path, int]) -> InputError:
    """The error for files whose numbers of lines differ; it names two of them."""
    short = min(counts, key=lambda path: counts[path])
    other = next(path for path, count in counts.items() if count != counts[short])
    ends, full = (f"{n:,} line{'s' * (n != 1)}" for n in (counts[short], counts[other]))
    message = f"ends after {ends}; expected as many as in {other} ({full})"
    return InputError(message, path=short, line=counts[short])


def read_pairs(tokenized: Path, split: str) -> Iterator[Pair]:
    """The lines of source and target of a split of tokenised text, checked by `split_tokens`."""
    paths = [tokenized / f"{split}.{side}" for side in SIDES]
    for line, (source, target) in enumerate(read_parallel(paths), start=1):
        for path, text in zip(paths, (source, target), strict=True):
            split_tokens(text, path=path, line=line)
        yield source, target


@dataclass(frozen=True)
class _Languages:
    source_language: Language
    target_language: Language


def read_languages(folder: Path, name: str = "corpus.json") -> dict[str, str]:
    """The language code of each side of a corpus, from its `corpus.json`, or of an artifact."""
    path = folder / name
    languages = from_excerpt(_Languages, read_json(path), f"{path}: corpus")
    return {"source": languages.source_language, "target": languages.target_language}
