"""Stage `tokenize`: normalised, tokenised, cleaned parallel text.

Training pairs are filtered; dropped ones are counted by reason and listed by line. Other splits are
never filtered, so that scores compare.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, NamedTuple

from annotated_types import Interval

from mgsa.cli.command import Input, OutputFolder, Report
from mgsa.cli.errors import InputError
from mgsa.cli.files import write_json
from mgsa.cli.progress import progress
from mgsa.cli.run import run
from mgsa.cli.settings import Positive
from mgsa.run_config import RunConfig
from pipeline.formats.links import read_links
from pipeline.formats.text import (
    ANNOTATIONS,
    SIDES,
    SPLITS,
    files_to_write,
    read_languages,
    read_parallel,
)
from pipeline.stage.command import stage, stage_outputs
from pipeline.stage.workers import map_chunks
from pipeline.tokenizers import tokenizer_of

CHUNK_PAIRS = 2500
SPLIT_FILES = [f"{s}.{name}" for s in SPLITS for name in (*SIDES, *ANNOTATIONS, "lines")]
DROPPED = "dropped.tsv"
REASONS = ("empty", "short", "long", "ratio", "token", "duplicate")
"""Why a training pair is dropped: the first of these that holds."""
LONGEST_TOKEN = 1000
"""Characters. BPE's time is quadratic in them: 20,000 take it ten seconds, a megabyte hours."""


@dataclass(frozen=True)
class TokenizeSettings:
    """Length limits of training pairs in tokens; `max_ratio` is longer side over shorter side."""

    min_tokens: Positive
    max_tokens: Positive
    max_ratio: Annotated[float, Interval(ge=1)] | None
    drop_duplicates: bool

    def __post_init__(self) -> None:
        if self.min_tokens > self.max_tokens:
            expected = f"at most max_tokens ({self.max_tokens})"
            raise ValueError(f"min_tokens: expected {expected}, got {self.min_tokens}")


class Pair(NamedTuple):
    """A line of a split: source, target, annotations by name, and the reason if it is dropped."""

    split: str
    line: int
    columns: dict[str, str]
    reason: str = ""


def columns_of(corpus: Path, split: str) -> list[str]:
    """Source, target and the annotation columns of a split."""
    return [*SIDES, *(name for name in ANNOTATIONS if (corpus / f"{split}.{name}").is_file())]


def read_pairs(corpus: Path) -> Iterator[Pair]:
    """All pairs of all splits, in order."""
    for split in SPLITS:
        names = columns_of(corpus, split)
        rows = read_parallel([corpus / f"{split}.{name}" for name in names])
        for line, texts in enumerate(rows, start=1):
            yield Pair(split, line, dict(zip(names, texts, strict=True)))


def _tokenize(
    corpus: Path, languages: Mapping[str, str], limits: TokenizeSettings, chunk: list[Pair]
) -> list[Pair]:
    """Tokenise pairs; filter those of the training split, reject unusable ones of others."""
    tokenized = []
    for split, line, columns, _ in chunk:
        sides = {s: tokenizer_of(languages[s]).normalize_and_tokenize(columns[s]) for s in SIDES}
        source, target = (len(tokens) for tokens in sides.values())
        if "links" in columns:
            path = corpus / f"{split}.links"
            read_links(columns["links"], lengths=(source, target), path=path, line=line)
        reason = ""
        if split == "train":
            reason = _reason(sides["source"], sides["target"], limits)
        else:
            for side, tokens in sides.items():
                longest = max(map(len, tokens), default=0)
                if not tokens or longest > LONGEST_TOKEN:
                    problem = f"a token of {longest:,} characters" if tokens else "no token"
                    message = f"{problem} in this line; pairs of {split} are never dropped"
                    raise InputError(message, path=corpus / f"{split}.{side}", line=line)
        texts = {side: " ".join(tokens) for side, tokens in sides.items()}
        tokenized.append(Pair(split, line, columns | texts, reason))
    return tokenized


def _reason(source: Sequence[str], target: Sequence[str], limits: TokenizeSettings) -> str:
    shorter, longer = sorted((len(source), len(target)))
    if shorter == 0:
        return "empty"
    if shorter < limits.min_tokens:
        return "short"
    if longer > limits.max_tokens:
        return "long"
    if limits.max_ratio is not None and longer > limits.max_ratio * shorter:
        return "ratio"
    return "token" if max(map(len, (*source, *target))) > LONGEST_TOKEN else ""


def tokenize_splits(
    corpus: Path, folder: Path, settings: TokenizeSettings, *, workers: int
) -> dict[str, int]:
    """Fill `folder` with the tokenised splits of `corpus`; return counts."""
    languages = read_languages(corpus)
    write_json(folder / "languages.json", languages)
    report: dict[str, int] = {}
    seen: set[bytes] = set()
    names = []
    for split in SPLITS:
        reasons = [f"dropped_{reason}" for reason in REASONS] if split == "train" else []
        counted = ["pairs", "kept", *reasons, *(f"{side}_tokens" for side in SIDES)]
        report |= dict.fromkeys((f"{split}_{name}" for name in counted), 0)
        names += [f"{split}.{name}" for name in (*columns_of(corpus, split), "lines")]
    chunks = map_chunks(
        partial(_tokenize, corpus, languages, settings),
        read_pairs(corpus),
        workers=workers,
        chunk_size=CHUNK_PAIRS,
    )
    with files_to_write(folder, [DROPPED, *names]) as files:
        files[DROPPED].write("split\tline\treason\n")
        for chunk in progress(chunks, "tokenize", total=None, unit="pairs", size=len):
            for split, line, columns, limit in chunk:
                reason = limit
                if not reason and settings.drop_duplicates and split == "train":
                    text = "\n".join(columns[side] for side in SIDES)
                    digest = blake2b(text.encode(), digest_size=16).digest()
                    reason = "duplicate" if digest in seen else ""
                    seen.add(digest)
                report[f"{split}_pairs"] += 1
                if reason:
                    report[f"{split}_dropped_{reason}"] += 1
                    files[DROPPED].write(f"{split}\t{line}\t{reason}\n")
                    continue
                report[f"{split}_kept"] += 1
                for name, text in (*columns.items(), ("lines", str(line))):
                    files[f"{split}.{name}"].write(f"{text}\n")
                for side in SIDES:
                    report[f"{split}_{side}_tokens"] += columns[side].count(" ") + 1
    if not report["train_kept"]:
        numbers = {reason: report[f"train_dropped_{reason}"] for reason in REASONS}
        counts = ", ".join(f"{number:,} {reason}" for reason, number in numbers.items() if number)
        raise InputError(f"no training pair is left; dropped: {counts}", path=corpus)
    return report


def tokenize_corpus(
    tokenize: TokenizeSettings,
    run: RunConfig,
    *,
    corpus: Annotated[Path, Input("raw text")],
    out: Annotated[Path, OutputFolder("tokenised text", "languages.json", DROPPED, *SPLIT_FILES)],
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Normalise, tokenise and clean a parallel corpus."""
    with stage_outputs(out, report) as (folder, metrics):
        metrics.update(tokenize_splits(corpus, folder, tokenize, workers=run.workers))


main = stage(tokenize_corpus)

if __name__ == "__main__":
    sys.exit(run(main))
