"""Stage `bpe`: joint byte-pair codes of both languages, a vocabulary each, and segmented text.

The files are those of subword-nmt's `learn-joint-bpe-and-vocab` and `apply-bpe --vocabulary`, byte
for byte, in less time: words are counted once, and a word that is met again is looked up.
"""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import nullcontext, redirect_stderr
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Annotated, NamedTuple

from mgsa.base.cli import progress, run
from mgsa.base.command import Input, OutputFolder, Report
from mgsa.base.errors import InputError
from mgsa.base.io import open_to_write, read_lines
from mgsa.base.settings import Count, Positive, RunConfig
from pipeline.base.stage import SIDES, SPLITS, stage, stage_outputs
from pipeline.base.text import split_tokens, unequal_lines
from pipeline.base.workers import chunks, map_chunks
from pipeline.tokens.subwords import CODES, SubwordSplitter, write_subword_counts

PORTION_LINES = 2_000


@dataclass(frozen=True)
class BpeSettings:
    """How many merges are learned, and which subwords may come out.

    A pair of symbols is merged if it occurs `min_frequency` times. A subword that occurs fewer than
    `vocabulary_threshold` times in its language's training text is split further.
    """

    merges: Positive
    min_frequency: Positive
    vocabulary_threshold: Count


class Portion(NamedTuple):
    """Lines of one side of a split, in tokens or in subwords; `first` is the first one's number."""

    split: str
    side: str
    first: int
    lines: list[str]


def count_words(path: Path) -> Counter[str]:
    """How often each token occurs in a tokenised file, in the order of first occurrence.

    Raises:
        InputError: no such file, an empty file, or a line is not tokens and single spaces.
    """
    words: Counter[str] = Counter()
    lines = progress(
        read_lines(path), f"count words of {path.name}", total=None, unit="lines", size=lambda _: 1
    )
    for number, line in enumerate(lines, start=1):
        words.update(split_tokens(line, path=path, line=number))
    if not words:
        raise InputError("empty file; expected tokenised text", path=path)
    return words


def learn_codes(words: Mapping[str, int], settings: BpeSettings, path: Path) -> int:
    """Write the codes of words with these counts to `path`; the number of merges."""
    from subword_nmt.learn_bpe import learn_bpe

    if max(map(len, words)) < 2:
        return 0  # subword-nmt fails where no word has two letters
    lines = [f"{word} {count}" for word, count in words.items()]
    # It shows its progress whether or not stderr is a terminal.
    quiet = nullcontext() if sys.stderr.isatty() else redirect_stderr(io.StringIO())
    with open_to_write(path) as codes, quiet:
        learn_bpe(lines, codes, settings.merges, settings.min_frequency, is_dict=True)
    return sum(1 for _ in read_lines(path)) - 1


def learn(tokenized: Path, folder: Path, settings: BpeSettings) -> dict[str, int]:
    """Write the codes and both vocabularies of the training text to `folder`; their sizes.

    Raises:
        InputError: as `count_words`, or the text has nothing to merge.
    """
    words = {side: count_words(tokenized / f"train.{side}") for side in SIDES}
    merges = learn_codes(sum(words.values(), Counter()), settings, folder / CODES)
    if not merges:
        raise InputError(
            f"no two symbols occur together {settings.min_frequency} times; expected more text",
            path=tokenized / "train.source",
        )
    splitter = SubwordSplitter(folder / CODES, None)
    report = {"merges": merges}
    for side in SIDES:
        subwords: Counter[str] = Counter()
        for word, count in words[side].items():
            for subword in splitter.split_word(word):
                subwords[subword] += count
        write_subword_counts(folder / f"vocab.{side}", subwords)
        report[f"{side}_words"] = len(words[side])
        report[f"{side}_subwords"] = sum(
            count >= settings.vocabulary_threshold for count in subwords.values()
        )
    return report


def segment(
    tokenized: Path, folder: Path, settings: BpeSettings, *, workers: int
) -> dict[str, int]:
    """Write the subwords of every split to `folder`, which has the codes; their numbers.

    Raises:
        InputError: a file is missing, not UTF-8, or a line is not tokens and single spaces.
    """
    segmented = map_chunks(
        partial(_segment, tokenized, folder, settings.vocabulary_threshold),
        read_portions(tokenized),
        workers=workers,
        chunk_size=1,
    )
    segmented = progress(
        segmented, "segment", total=None, unit="sentences", size=lambda portion: len(portion.lines)
    )
    report = {}
    for (split, side), portions in groupby(segmented, key=lambda portion: portion[:2]):
        subwords = 0
        with open_to_write(folder / f"{split}.{side}") as file:
            for portion in portions:
                text = "\n".join(portion.lines)
                file.write(f"{text}\n")
                subwords += text.count(" ") + len(portion.lines)
        report[f"{split}_{side}_subwords"] = subwords
    return report


def read_portions(tokenized: Path) -> Iterator[Portion]:
    """Both sides of every split, one file after the other, some lines at a time.

    Raises:
        InputError: a file is missing, empty or not UTF-8, or a side has more lines than the other.
    """
    for split in SPLITS:
        counts = {}
        for side in SIDES:
            path = tokenized / f"{split}.{side}"
            first = 1
            for portion in chunks(read_lines(path), PORTION_LINES):
                yield Portion(split, side, first, portion)
                first += len(portion)
            if first == 1:
                raise InputError("empty file; expected tokenised text", path=path)
            counts[path] = first - 1
        if len(set(counts.values())) > 1:
            raise unequal_lines(counts)


@cache
def _splitter(folder: Path, side: str, threshold: int) -> SubwordSplitter:
    """One in each process, which gathers words as it goes."""
    return SubwordSplitter.load(folder, side, threshold=threshold)


def _segment(tokenized: Path, folder: Path, threshold: int, portions: list[Portion]) -> Portion:
    (portion,) = portions
    splitter = _splitter(folder, portion.side, threshold)
    path = tokenized / f"{portion.split}.{portion.side}"
    segmented = []
    for number, line in enumerate(portion.lines, start=portion.first):
        tokens = split_tokens(line, path=path, line=number)
        segmented.append(" ".join(splitter.split(tokens)))
    return portion._replace(lines=segmented)


def learn_and_segment(
    bpe: BpeSettings,
    run: RunConfig,
    *,
    tokenized: Annotated[Path, Input("tokenised text")],
    out: Annotated[
        Path,
        OutputFolder(
            "codes and subwords",
            CODES,
            *(f"{name}.{side}" for name in ("vocab", *SPLITS) for side in SIDES),
        ),
    ],
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Learn joint byte-pair codes on the training split, and segment every split."""
    with stage_outputs(out, report) as (folder, metrics):
        metrics.update(learn(tokenized, folder, bpe))
        metrics.update(segment(tokenized, folder, bpe, workers=run.workers))


main = stage(learn_and_segment)

if __name__ == "__main__":
    sys.exit(run(main))
