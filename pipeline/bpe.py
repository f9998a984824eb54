"""Stage `bpe`: byte-pair codes, a vocabulary for each language, and segmented text.

Byte for byte the output of subword-nmt's `learn-joint-bpe-and-vocab`, or of `learn-bpe` for each
language, and of `apply-bpe --vocabulary`. With words as the unit there are no codes.
"""

import io
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, redirect_stderr
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Annotated, Literal

from annotated_types import Interval

from mgsa.cli.command import Input, OutputFolder, Report
from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write
from mgsa.cli.progress import progress
from mgsa.cli.run import run
from mgsa.cli.settings import Count, InputPath, Positive, from_excerpt, to_mapping
from mgsa.cli.workers import map_chunks
from mgsa.run_config import RunConfig
from pipeline.formats.preprocessing import Segmentation
from pipeline.formats.tables import Record
from pipeline.formats.text import SIDES, SPLITS, Pair, files_to_write, read_pairs
from pipeline.formats.text_settings import PREPROCESSING, read_text_settings
from pipeline.stage.command import stage, stage_outputs
from pipeline.subwords import (
    CODES,
    MARK,
    SubwordSplitter,
    allowed_subwords,
    codes_path,
    read_merges,
    read_subword_counts,
    whole_words,
    write_subword_counts,
)

CHUNK_PAIRS = 1_000
DRAWS = 20
"""Segmentations of each word with dropout."""
TEXTS = [f"{split}.{side}" for split in SPLITS for side in SIDES]

Merges = Annotated[int, Interval(ge=1, le=10_000_000)]


@dataclass(frozen=True)
class BpeSettings:
    """Number of merges, and thresholds; or the folder `codes`, a model, has codes and vocabularies.

    Merges are `joint` or of each side, `target_merges` of the target (`None`: as many as of the
    source). A pair of symbols is merged if it occurs `min_frequency` times. A subword with fewer
    than `vocabulary_threshold` occurrences in its language's training text is split further. For
    `train.bpe_dropout`, occurrences where words are split with `dropout` count too. With `unit`
    word a side's vocabulary is its `max_words` most frequent words of `min_count` occurrences;
    protected tokens need as many.
    """

    codes: InputPath | None
    unit: Literal["bpe", "word"]
    joint: bool
    merges: Merges
    target_merges: Merges | None
    min_frequency: Positive
    vocabulary_threshold: Count
    dropout: Annotated[float, Interval(ge=0, lt=1)]
    min_count: Positive
    max_words: Positive | None

    def __post_init__(self) -> None:
        if self.joint and self.target_merges is not None:
            raise ValueError("target_merges: expected null, as both languages have joint merges")
        if self.unit == "word" and self.dropout:
            raise ValueError("dropout: expected 0.0, as unit: word splits no word")
        if self.unit == "bpe" and self.max_words is not None:
            raise ValueError("max_words: expected null, as merges bound a vocabulary of unit: bpe")

    @property
    def codes_suffixes(self) -> tuple[str, ...]:
        """Suffixes of the files of codes: one, one for each side, or none."""
        if self.unit == "word":
            return ()
        return ("",) if self.joint else tuple(f".{side}" for side in SIDES)

    @property
    def segmentation(self) -> Segmentation:
        """The settings that segmentation needs."""
        return Segmentation(self.vocabulary_threshold, self.unit)


def learn_codes(words: Mapping[str, int], merges: int, min_frequency: int, path: Path) -> int:
    """Write the merges learned from word counts to `path`; return their number."""
    from subword_nmt.learn_bpe import learn_bpe

    if max(map(len, words), default=0) < 2:
        return 0  # subword-nmt fails where no word has two letters
    lines = [f"{word} {count}" for word, count in words.items()]
    # It shows its progress whether or not stderr is a terminal.
    quiet = nullcontext() if sys.stderr.isatty() else redirect_stderr(io.StringIO())
    with open_to_write(path) as codes, quiet:
        learn_bpe(lines, codes, merges, min_frequency, is_dict=True)
    return len(read_merges(path))


def learn(
    tokenized: Path, folder: Path, settings: BpeSettings, *, protected: Sequence[str] = ()
) -> dict[str, int]:
    """Write codes and vocabularies of the training text to `folder`; return their sizes.

    `protected` are regular expressions of tokens that are not split.
    """
    words: dict[str, Counter[str]] = {side: Counter() for side in SIDES}
    pairs = read_pairs(tokenized, "train")
    for pair in progress(pairs, "count words", unit="pairs"):
        for counts, text in zip(words.values(), pair, strict=True):
            counts.update(text.split(" "))
    whole = whole_words(settings.unit, protected)
    split = {
        side: Counter({word: n for word, n in counts.items() if not whole(word)})
        for side, counts in words.items()
    }
    report = {}
    for suffix in settings.codes_suffixes:
        learned_from = split[suffix[1:]] if suffix else sum(split.values(), Counter())
        merges = settings.target_merges if suffix == ".target" else None
        learned = learn_codes(
            learned_from,
            merges or settings.merges,
            settings.min_frequency,
            folder / f"{CODES}{suffix}",
        )
        report[_merges_of(suffix)] = learned
        if not learned:
            raise InputError(
                f"no two symbols occur together {settings.min_frequency} times; expected more text",
                path=tokenized / f"train{suffix or '.source'}",
            )
    for side, counts in words.items():
        subwords = known_words(counts - split[side], settings)
        if settings.unit == "bpe":
            splitter = SubwordSplitter(codes_path(folder, side), None)
            subwords += count_subwords(split[side], splitter, settings.dropout)
        elif not subwords:
            message = f"no word occurs {settings.min_count} times (bpe.min_count)"
            raise InputError(f"{message}; expected more text", path=tokenized / f"train.{side}")
        write_subword_counts(folder / f"vocab.{side}", subwords)
        allowed = allowed_subwords(subwords, side, settings.segmentation)
        report |= {f"{side}_words": len(counts), f"{side}_subwords": len(allowed)}
    return report


def _merges_of(suffix: str) -> str:
    """The key of a report for the number of merges in a file of codes."""
    return f"{suffix[1:]}_merges".removeprefix("_")


def known_words(words: Counter[str], settings: BpeSettings) -> Counter[str]:
    """Unsplit words that are frequent enough to be known."""
    frequent = (
        (word, count)
        for word, count in words.most_common()
        if count >= settings.min_count and not word.endswith(MARK)
    )
    return Counter(dict(islice(frequent, settings.max_words)))


def count_subwords(
    words: Mapping[str, int], splitter: SubwordSplitter, dropout: float
) -> Counter[str]:
    """How often each subword occurs, or is to be expected with dropout if that is more."""
    subwords: Counter[str] = Counter()
    for word, count in words.items():
        for subword in splitter.split_word(word):
            subwords[subword] += count
    return subwords | Counter(drawn_counts(words, splitter, dropout) if dropout else {})


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


def take(others: Path, folder: Path, settings: BpeSettings) -> dict[str, int]:
    """Copy codes and vocabularies of another folder to `folder`; return their sizes.

    An `InputError` is raised if it is a model's that segments otherwise.
    """
    wanted, recorded = settings.segmentation, others / PREPROCESSING
    if recorded.is_file():
        made = from_excerpt(Segmentation, Record.read(recorded)["bpe"], f"{recorded}: bpe")
        for key, value in to_mapping(made).items():
            if (got := getattr(wanted, key)) != value:
                message = f"expected bpe.{key} to be {value}, as there, got {got}"
                raise InputError(message, path=recorded)
    files = [f"vocab.{side}" for side in SIDES]
    report = {}
    for suffix in settings.codes_suffixes:
        files.append(f"{CODES}{suffix}")
        report[_merges_of(suffix)] = len(read_merges(others / files[-1]))
    for side in SIDES:
        counts = read_subword_counts(others / f"vocab.{side}")
        report[f"{side}_subwords"] = len(allowed_subwords(counts, side, wanted))
    for name in files:
        shutil.copyfile(others / name, folder / name)
    return report


def tell_of_other_languages(others: Path, tokenized: Path) -> None:
    """Print that codes are an artifact's of other languages, or the other way round."""
    if (others / PREPROCESSING).is_file():
        theirs, ours = (read_text_settings(folder) for folder in (others, tokenized))
        pairs = [f"{one.source_language}-{one.target_language}" for one in (theirs, ours)]
        if pairs[0] != pairs[1]:
            told = f"codes and vocabularies of {pairs[0]} segment {pairs[1]}, side by side"
            print(f"{others}: {told}", file=sys.stderr)


def segment(
    tokenized: Path,
    folder: Path,
    settings: BpeSettings,
    *,
    workers: int,
    protected: Sequence[str] = (),
) -> dict[str, int]:
    """Write the subwords of every split to `folder`, which holds the codes; return counts."""
    chunks = map_chunks(
        partial(_segment, folder, settings.segmentation, tuple(protected)),
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
def _splitters(
    folder: Path, made: Segmentation, protected: tuple[str, ...]
) -> list[SubwordSplitter]:
    """Splitters of both sides, cached in each process."""
    return [SubwordSplitter.load(folder, side, made, protected=protected) for side in SIDES]


def _segment(
    folder: Path, made: Segmentation, protected: tuple[str, ...], chunk: list[tuple[str, Pair]]
) -> list[tuple[str, Pair]]:
    source, target = _splitters(folder, made, protected)
    return [
        (split, (" ".join(source.split(s.split(" "))), " ".join(target.split(t.split(" ")))))
        for split, (s, t) in chunk
    ]


def learn_and_segment(
    bpe: BpeSettings,
    run: RunConfig,
    *,
    tokenized: Annotated[Path, Input("tokenised text", kind="tokenised text")],
    out: Annotated[Path, OutputFolder("codes and subwords", "subwords")],
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Learn byte-pair codes, or a vocabulary of words, or take others; segment every split."""
    protected = read_text_settings(tokenized).tokenize.protected
    with stage_outputs(out, report) as (folder, metrics):
        if bpe.codes is None:
            metrics.update(learn(tokenized, folder, bpe, protected=protected))
        else:
            metrics.update(take(Path(bpe.codes), folder, bpe))
            tell_of_other_languages(Path(bpe.codes), tokenized)
        metrics.update(segment(tokenized, folder, bpe, workers=run.workers, protected=protected))


main = stage(learn_and_segment)

if __name__ == "__main__":
    sys.exit(run(main))
