"""Stage `tokenize`: raw text to normalised, tokenised, cleaned text that stays in pairs.

Pairs of the training split that no model should learn from are dropped, counted by reason and
listed with their line; pairs of the other splits never are, since scores would not compare.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, NamedTuple

from annotated_types import Interval

from mgsa.base.cli import progress, run
from mgsa.base.command import Input, OutputFolder, Report
from mgsa.base.errors import InputError
from mgsa.base.io import open_to_write, write_json
from mgsa.base.settings import Positive, RunConfig
from pipeline.base.stage import (
    ANNOTATIONS,
    SIDES,
    SPLITS,
    stage,
    stage_outputs,
)
from pipeline.base.text import read_languages, read_parallel
from pipeline.base.workers import map_chunks
from pipeline.links import read_links

if TYPE_CHECKING:
    from pipeline.tokens.moses import MosesText

CHUNK_PAIRS = 2500
SPLIT_FILES = [f"{s}.{name}" for s in SPLITS for name in (*SIDES, *ANNOTATIONS, "lines")]
KEPT = ""
REASONS = ("empty", "short", "long", "ratio", "token", "duplicate")
"""Why a training pair is dropped: the first of these that holds."""
LONGEST_TOKEN = 1000
"""Characters. BPE's time is quadratic in them: 20,000 take it ten seconds, a megabyte hours."""


@dataclass(frozen=True)
class TokenizeSettings:
    """Which training pairs are kept, by the lengths of their sides in tokens.

    `max_ratio` bounds the longer side over the shorter one.
    """

    min_tokens: Positive
    max_tokens: Positive
    max_ratio: Annotated[float, Interval(ge=1)] | None
    drop_duplicates: bool

    def __post_init__(self) -> None:
        if self.min_tokens > self.max_tokens:
            raise ValueError(
                f"min_tokens: expected at most max_tokens ({self.max_tokens}), "
                f"got {self.min_tokens}"
            )


class Pair(NamedTuple):
    """A line of a split: source, target, then its gold annotations, if any.

    `reason` says why it is dropped, once the first two are tokenised.
    """

    split: str
    line: int
    columns: tuple[str, ...]
    reason: str = KEPT


class PairTokenizer:
    """Tokenises both sides of a pair and judges it by their lengths."""

    def __init__(
        self, corpus: Path, languages: Mapping[str, str], limits: TokenizeSettings
    ) -> None:
        """
        Args:
            corpus: the folder that errors name.
            languages: of each side, its code.
        """
        self._corpus = corpus
        self._sides = [_moses(languages[side]) for side in SIDES]
        self._annotations = {split: annotations_of(corpus, split) for split in SPLITS}
        self._limits = limits

    def __call__(self, pair: Pair) -> Pair:
        """The pair in tokens.

        Raises:
            InputError: a side of a pair that must be kept is empty or has too long a token, or its
                links point outside.
        """
        source, target = (
            side.normalize_and_tokenize(text)
            for side, text in zip(self._sides, pair.columns, strict=False)
        )
        if "links" in self._annotations[pair.split]:
            self._check_links(pair, len(source), len(target))
        reason = KEPT
        if pair.split == "train":
            reason = self._reason(source, target)
        else:
            self._check_kept(pair, source, target)
        columns = (" ".join(source), " ".join(target), *pair.columns[len(SIDES) :])
        return pair._replace(columns=columns, reason=reason)

    def _reason(self, source: list[str], target: list[str]) -> str:
        shorter, longer = sorted((len(source), len(target)))
        limits = self._limits
        if shorter == 0:
            return "empty"
        if shorter < limits.min_tokens:
            return "short"
        if longer > limits.max_tokens:
            return "long"
        if limits.max_ratio is not None and longer > limits.max_ratio * shorter:
            return "ratio"
        if max(map(len, (*source, *target))) > LONGEST_TOKEN:
            return "token"
        return KEPT

    def _check_kept(self, pair: Pair, *sides: list[str]) -> None:
        for side, tokens in zip(SIDES, sides, strict=True):
            longest = max(map(len, tokens), default=0)
            if not tokens or longest > LONGEST_TOKEN:
                found = f"a token of {longest:,} characters" if tokens else "no token"
                raise InputError(
                    f"{found} in this line; pairs of {pair.split} are never dropped",
                    path=self._corpus / f"{pair.split}.{side}",
                    line=pair.line,
                )

    def _check_links(self, pair: Pair, source: int, target: int) -> None:
        text = pair.columns[len(SIDES) + self._annotations[pair.split].index("links")]
        path = self._corpus / f"{pair.split}.links"
        for i, j in read_links(text, path=path, line=pair.line):
            if i >= source or j >= target:
                raise InputError(
                    f"link {i}-{j} points outside a pair of {source} and {target} tokens",
                    path=path,
                    line=pair.line,
                )


class SplitWriter:
    """Writes the kept pairs of one split and where they stood; counts what was dropped."""

    def __init__(self, folder: Path, split: str, columns: Sequence[str], files: ExitStack) -> None:
        self._files: list[IO[str]] = [
            files.enter_context(open_to_write(folder / f"{split}.{name}"))
            for name in (*columns, "lines")
        ]
        self.kept = 0
        self.tokens = dict.fromkeys(SIDES, 0)
        self.dropped = dict.fromkeys(REASONS, 0)

    def write(self, pair: Pair) -> None:
        for file, text in zip(self._files, (*pair.columns, pair.line), strict=True):
            file.write(f"{text}\n")
        self.kept += 1
        for side, text in zip(SIDES, pair.columns, strict=False):
            self.tokens[side] += text.count(" ") + 1


def annotations_of(corpus: Path, split: str) -> list[str]:
    """The annotations that a corpus has for a split."""
    return [name for name in ANNOTATIONS if (corpus / f"{split}.{name}").is_file()]


def read_pairs(corpus: Path) -> Iterator[Pair]:
    """Every split's pairs with their annotations, in order.

    Raises:
        InputError: as `read_parallel`.
    """
    for split in SPLITS:
        paths = [corpus / f"{split}.{name}" for name in (*SIDES, *annotations_of(corpus, split))]
        for line, columns in enumerate(read_parallel(paths), start=1):
            yield Pair(split, line, columns)


def tokenize_splits(
    corpus: Path, folder: Path, settings: TokenizeSettings, *, workers: int
) -> dict[str, int]:
    """Fill `folder` with the tokenised splits of `corpus`; what was kept and dropped.

    Raises:
        InputError: a file is malformed, or no training pair is left.
    """
    languages = read_languages(corpus)
    write_json(folder / "languages.json", languages)
    seen: set[bytes] = set()
    with ExitStack() as files:
        dropped = files.enter_context(open_to_write(folder / "dropped.tsv"))
        dropped.write("split\tline\treason\n")
        writers = {
            split: SplitWriter(folder, split, (*SIDES, *annotations_of(corpus, split)), files)
            for split in SPLITS
        }
        chunks = map_chunks(
            partial(_tokenize, corpus, languages, settings),
            read_pairs(corpus),
            workers=workers,
            chunk_size=CHUNK_PAIRS,
        )
        for chunk in progress(chunks, "tokenize", total=None, unit="pairs", size=len):
            for pair in chunk:
                writer, reason = writers[pair.split], pair.reason
                if not reason and settings.drop_duplicates and pair.split == "train":
                    text = "\n".join(pair.columns[: len(SIDES)])
                    digest = blake2b(text.encode(), digest_size=16).digest()
                    reason = "duplicate" if digest in seen else KEPT
                    seen.add(digest)
                if reason:
                    writer.dropped[reason] += 1
                    dropped.write(f"{pair.split}\t{pair.line}\t{reason}\n")
                else:
                    writer.write(pair)
    if not writers["train"].kept:
        counts = ", ".join(f"{n:,} {reason}" for reason, n in writers["train"].dropped.items() if n)
        raise InputError(f"no training pair is left; dropped: {counts}", path=corpus)
    return _report(writers)


def _report(writers: Mapping[str, SplitWriter]) -> dict[str, int]:
    report: dict[str, int] = {}
    for split, writer in writers.items():
        report[f"{split}_pairs"] = writer.kept + sum(writer.dropped.values())
        report[f"{split}_kept"] = writer.kept
        if split == "train":
            report |= {f"{split}_dropped_{reason}": n for reason, n in writer.dropped.items()}
        report |= {f"{split}_{side}_tokens": n for side, n in writer.tokens.items()}
    return report


@cache
def _moses(language: str) -> MosesText:
    """One in each process, since compiling the rules of a language takes a while."""
    from pipeline.tokens.moses import MosesText

    return MosesText(language)


def _tokenize(
    corpus: Path, languages: Mapping[str, str], settings: TokenizeSettings, chunk: list[Pair]
) -> list[Pair]:
    tokenizer = PairTokenizer(corpus, languages, settings)
    return [tokenizer(pair) for pair in chunk]


def tokenize_corpus(
    tokenize: TokenizeSettings,
    run: RunConfig,
    *,
    corpus: Annotated[Path, Input("raw text")],
    out: Annotated[
        Path, OutputFolder("tokenised text", "languages.json", "dropped.tsv", *SPLIT_FILES)
    ],
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Normalise, tokenise and clean a parallel corpus."""
    with stage_outputs(out, report) as (folder, metrics):
        metrics.update(tokenize_splits(corpus, folder, tokenize, workers=run.workers))


main = stage(tokenize_corpus)

if __name__ == "__main__":
    sys.exit(run(main))
