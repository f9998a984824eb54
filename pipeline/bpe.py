"""Stage `bpe`: joint byte-pair codes, a vocabulary for each language, and segmented text.

Byte for byte the output of subword-nmt's `learn-joint-bpe-and-vocab` and `apply-bpe --vocabulary`.
"""

import io
import shutil
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext, redirect_stderr
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Annotated

from annotated_types import Interval

from mgsa.cli.command import Input, OutputFolder, Report
from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write
from mgsa.cli.progress import progress
from mgsa.cli.run import run
from mgsa.cli.settings import Count, InputPath, Positive
from mgsa.run_config import RunConfig
from pipeline.formats.tables import Record
from pipeline.formats.text import SIDES, SPLITS, Pair, files_to_write, read_pairs
from pipeline.stage.command import stage, stage_outputs
from pipeline.stage.workers import map_chunks
from pipeline.subwords import (
    CODES,
    SubwordSplitter,
    allowed_subwords,
    read_merges,
    read_subword_counts,
    write_subword_counts,
)

CHUNK_PAIRS = 1_000
DRAWS = 20
"""Segmentations of each word with dropout."""
FILES = [CODES, *(f"vocab.{side}" for side in SIDES)]
TEXTS = [f"{split}.{side}" for split in SPLITS for side in SIDES]


@dataclass(frozen=True)
class BpeSettings:
    """Number of merges, and thresholds; or the folder `codes`, a model, has codes and vocabularies.

    A pair of symbols is merged if it occurs `min_frequency` times. A subword with fewer than
    `vocabulary_threshold` occurrences in its language's training text is split further. For
    `train.bpe_dropout`, occurrences where words are split with `dropout` count too.
    """

    codes: InputPath | None
    merges: Annotated[int, Interval(ge=1, le=10_000_000)]
    min_frequency: Positive
    vocabulary_threshold: Count
    dropout: Annotated[float, Interval(ge=0, lt=1)]


def learn_codes(words: Mapping[str, int], settings: BpeSettings, path: Path) -> int:
    """Write the merges learned from word counts to `path`; return their number."""
    from subword_nmt.learn_bpe import learn_bpe

    if max(map(len, words)) < 2:
        return 0  # subword-nmt fails where no word has two letters
    lines = [f"{word} {count}" for word, count in words.items()]
    # It shows its progress whether or not stderr is a terminal.
    quiet = nullcontext() if sys.stderr.isatty() else redirect_stderr(io.StringIO())
    with open_to_write(path) as codes, quiet:
        learn_bpe(lines, codes, settings.merges, settings.min_frequency, is_dict=True)
    return len(read_merges(path))


def learn(tokenized: Path, folder: Path, settings: BpeSettings) -> dict[str, int]:
    """Write codes and vocabularies of the training text to `folder`; return their sizes."""
    words: dict[str, Counter[str]] = {side: Counter() for side in SIDES}
    pairs = read_pairs(tokenized, "train")
    for pair in progress(pairs, "count words", unit="pairs"):
        for counts, text in zip(words.values(), pair, strict=True):
            counts.update(text.split(" "))
    report = {"merges": learn_codes(sum(words.values(), Counter()), settings, folder / CODES)}
    if not report["merges"]:
        raise InputError(
            f"no two symbols occur together {settings.min_frequency} times; expected more text",
            path=tokenized / "train.source",
        )
    splitter = SubwordSplitter(folder / CODES, None)
    for side in SIDES:
        subwords: Counter[str] = Counter()
        for word, count in words[side].items():
            for subword in splitter.split_word(word):
                subwords[subword] += count
        if settings.dropout:
            for subword, count in drawn_counts(words[side], splitter, settings.dropout).items():
                subwords[subword] = max(subwords[subword], count)
        write_subword_counts(folder / f"vocab.{side}", subwords)
        allowed = allowed_subwords(subwords, side, threshold=settings.vocabulary_threshold)
        report |= {f"{side}_words": len(words[side]), f"{side}_subwords": len(allowed)}
    return report


def drawn_counts(
    words: Mapping[str, int], splitter: SubwordSplitter, dropout: float
) -> dict[str, int]:
    """How often each subword is to be expected where words are split with dropout; at least 1."""
    drawn: Counter[str] = Counter()
    generator = Random(0)
    for word, count in progress(words.items(), "draw subwords", unit="words"):
        for _ in range(DRAWS):
            for subword in splitter.segment(word, dropout, generator):
                drawn[subword] += count
    return {subword: -(-count // DRAWS) for subword, count in drawn.items()}


def take(others: Path, folder: Path, *, threshold: int) -> dict[str, int]:
    """Copy codes and vocabularies of another folder to `folder`; return their sizes.

    An `InputError` is raised if it is a model's of another `vocabulary_threshold`.
    """
    recorded = others / "preprocessing.json"
    if recorded.is_file():
        made = Record.read(recorded)["bpe"]["vocabulary_threshold"]
        if made != threshold:
            message = f"expected bpe.vocabulary_threshold to be {made}, as there, got {threshold}"
            raise InputError(message, path=recorded)
    report = {"merges": len(read_merges(others / CODES))}
    for side in SIDES:
        counts = read_subword_counts(others / f"vocab.{side}")
        report[f"{side}_subwords"] = len(allowed_subwords(counts, side, threshold=threshold))
    for name in FILES:
        shutil.copyfile(others / name, folder / name)
    return report


def segment(
    tokenized: Path, folder: Path, settings: BpeSettings, *, workers: int
) -> dict[str, int]:
    """Write the subwords of every split to `folder`, which holds the codes; return counts."""
    chunks = map_chunks(
        partial(_segment, folder, settings.vocabulary_threshold),
        ((split, pair) for split in SPLITS for pair in read_pairs(tokenized, split)),
        workers=workers,
        chunk_size=CHUNK_PAIRS,
    )
    counts = {f"{split}_{side}_subwords": 0 for split in SPLITS for side in SIDES}
    with files_to_write(folder, TEXTS) as files:
        for chunk in progress(chunks, "segment", unit="pairs", size=len):
            for split, pair in chunk:
                for side, text in zip(SIDES, pair, strict=True):
                    files[f"{split}.{side}"].write(f"{text}\n")
                    counts[f"{split}_{side}_subwords"] += text.count(" ") + 1
    return counts


@cache
def _splitters(folder: Path, threshold: int) -> list[SubwordSplitter]:
    """Splitters of both sides, cached in each process."""
    return [SubwordSplitter.load(folder, side, threshold=threshold) for side in SIDES]


def _segment(folder: Path, threshold: int, chunk: list[tuple[str, Pair]]) -> list[tuple[str, Pair]]:
    source, target = _splitters(folder, threshold)
    return [
        (split, (" ".join(source.split(s.split(" "))), " ".join(target.split(t.split(" ")))))
        for split, (s, t) in chunk
    ]


def learn_and_segment(
    bpe: BpeSettings,
    run: RunConfig,
    *,
    tokenized: Annotated[Path, Input("tokenised text")],
    out: Annotated[Path, OutputFolder("codes and subwords", *FILES, *TEXTS)],
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Learn joint byte-pair codes on the training split, or take others; segment every split."""
    with stage_outputs(out, report) as (folder, metrics):
        if bpe.codes is None:
            metrics.update(learn(tokenized, folder, bpe))
        else:
            metrics.update(take(Path(bpe.codes), folder, threshold=bpe.vocabulary_threshold))
        metrics.update(segment(tokenized, folder, bpe, workers=run.workers))


main = stage(learn_and_segment)

if __name__ == "__main__":
    sys.exit(run(main))
