"""Stage `tokenize`: normalised, tokenised, cleaned parallel text.

Training pairs are filtered; dropped ones are counted by reason and listed by line. Other splits are
never filtered, so that scores compare; which of their pairs are also trained on is counted.
Annotations are checked for the pairs that stay.
"""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from hashlib import blake2b
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Annotated, NamedTuple

from annotated_types import Interval

from mgsa.cli.command import Input, OutputFolder, Report
from mgsa.cli.errors import InputError
from mgsa.cli.files import read_lines, write_json
from mgsa.cli.languages import UNSPACED, base_language
from mgsa.cli.progress import progress
from mgsa.cli.run import run
from mgsa.cli.settings import Positive
from mgsa.cli.workers import map_chunks
from mgsa.run_config import RunConfig
from pipeline.formats.link_files import evidence, tell_contradictions
from pipeline.formats.links import read_gold_links
from pipeline.formats.text import (
    ANNOTATIONS,
    SIDES,
    SPLITS,
    files_to_write,
    read_languages,
    read_parallel,
)
from pipeline.formats.text_settings import TEXT, TextSettings
from pipeline.formats.trees import read_tree
from pipeline.stage.command import stage, stage_outputs
from pipeline.tokenizers.casing import truecase_splits
from pipeline.tokenizers.side import side_text

CHUNK_PAIRS = 2500
HELD_OUT = SPLITS[1:]
DROPPED = "dropped.tsv"
REASONS = ("empty", "short", "long", "ratio", "token", "duplicate", "overlap")
"""Why a training pair is dropped: the first of these that holds."""
LONGEST_TOKEN = 1000
"""Characters. BPE's time is quadratic in them: 20,000 take it ten seconds, a megabyte hours."""


@dataclass(frozen=True)
class TokenizeSettings(TextSettings):
    """Tokenisers, and length limits of training pairs in tokens.

    `max_ratio` is that of the longer side to the shorter one; `drop_overlap` drops what other
    splits have too.
    """

    min_tokens: Positive
    max_tokens: Positive
    max_ratio: Annotated[float, Interval(ge=1)] | None
    drop_duplicates: bool
    drop_overlap: bool

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_tokens > self.max_tokens:
            expected = f"at most max_tokens ({self.max_tokens})"
            raise ValueError(f"min_tokens: expected {expected}, got {self.min_tokens}")


class Pair(NamedTuple):
    """A line of a split: source, target and annotations by name."""

    split: str
    line: int
    columns: dict[str, str]
    reason: str = ""  #: why it is dropped, if it is.
    #: what is wrong with its annotations, which matters if it stays.
    fault: InputError | None = None
    links: Mapping[str, int] = {}  #: the `evidence` of its links.


def columns_of(corpus: Path, split: str) -> list[str]:
    """Source, target and the annotation columns of a split."""
    return [*SIDES, *(name for name in ANNOTATIONS if (corpus / f"{split}.{name}").is_file())]


def read_pairs(corpus: Path) -> Iterator[Pair]:
    """All pairs of all splits, in order: training pairs come last, to be compared with others."""
    for split in (*HELD_OUT, "train"):
        names = columns_of(corpus, split)
        rows = read_parallel([corpus / f"{split}.{name}" for name in names])
        for line, texts in enumerate(rows, start=1):
            yield Pair(split, line, dict(zip(names, texts, strict=True)))


def _tokenize(
    corpus: Path, folder: Path, limits: TokenizeSettings, chunk: list[Pair]
) -> list[Pair]:
    """Tokenise pairs; filter those of the training split, reject unusable ones of others."""
    tokenized = []
    for split, line, columns, *_ in chunk:
        sides = {side: side_text(folder, side).tokenize(columns[side]) for side in SIDES}
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
        pair = Pair(split, line, columns | texts, reason)
        if not reason:
            lengths = len(sides["source"]), len(sides["target"])
            try:
                pair = pair._replace(links=_check_annotations(pair, columns, lengths, corpus))
            except InputError as error:
                pair = pair._replace(fault=error)  # it may be dropped yet, as a duplicate
        tokenized.append(pair)
    return tokenized


def _check_annotations(
    pair: Pair, raw: Mapping[str, str], lengths: tuple[int, int], corpus: Path
) -> dict[str, int]:
    """Check trees, labels and links of a pair of so many tokens; return the links' `evidence`.

    A line of brackets without words is the tree of a failed parse.
    """
    found: dict[str, int] = {}
    for name in raw.keys() - SIDES:
        path, text = corpus / f"{pair.split}.{name}", raw[name]
        if name == "links":
            gold = read_gold_links(text, lengths=lengths, path=path, line=pair.line)
            words = [len(raw[side].split()) for side in SIDES]
            found = evidence(set.union(*gold), lengths, words)
        elif name != "trees" and not re.fullmatch("[^ ]+", text):
            raise InputError(f"expected one label, got {text!r}", path=path, line=pair.line)
        elif name == "trees" and text.strip(" \t\r()"):
            read_tree(text, path=path, line=pair.line)
    return found


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


class _Repeated:
    """Pairs that came before, by hash: training pairs, or those of other splits, read first."""

    def __init__(self, settings: TokenizeSettings) -> None:
        self.settings = settings
        self.trained, self.overlap = set[bytes](), set[bytes]()
        self.held_out = {split: Counter[bytes]() for split in HELD_OUT}

    def reason(self, split: str, texts: Mapping[str, str]) -> str:
        """Why a pair is dropped; one that is not is remembered."""
        text = "\n".join(texts[side] for side in SIDES)
        digest = blake2b(text.encode(), digest_size=16).digest()
        if split in HELD_OUT:
            self.held_out[split][digest] += 1
            return ""
        if digest in self.trained:
            return "duplicate"
        if self.settings.drop_duplicates:
            self.trained.add(digest)
        if any(digest in pairs for pairs in self.held_out.values()):
            if self.settings.drop_overlap:
                return "overlap"
            self.overlap.add(digest)
        return ""

    def report(self, corpus: Path) -> dict[str, int]:
        """How many pairs of other splits are training pairs, which one line tells."""
        counts = {}
        for split, pairs in self.held_out.items():
            counts[f"{split}_pairs_in_train"] = count = sum(pairs[one] for one in self.overlap)
            if count:
                told = f"{count:,} of {pairs.total():,} pairs of {split} are training pairs too"
                mend = "tokenize.drop_overlap=true drops them there"
                print(f"{corpus}: {told}; {mend}", file=sys.stderr)
        return counts


def _record(corpus: Path, folder: Path, settings: TokenizeSettings) -> None:
    """Write languages and tokenisers to `folder`, from which each process makes its own."""
    from pipeline.tokenizers.moses import LANGUAGES

    languages = read_languages(corpus)
    text = {field.name: getattr(settings, field.name) for field in fields(TextSettings)}
    write_json(
        folder / TEXT, {f"{side}_language": languages[side] for side in SIDES} | {"tokenize": text}
    )
    for side, language in languages.items():
        kind = getattr(settings, side)
        if kind == "moses" and base_language(language) not in LANGUAGES:
            message = f"tokenize.{side}: Moses has no rules of {language}: those for any script"
            if base_language(language) in UNSPACED:
                has_rules = find_spec(f"spacy.lang.{base_language(language)}")
                parting = "spacy and characters part" if has_rules else "characters parts"
                message += f", which leave its words together: {parting} them"
            print(message, file=sys.stderr)


def tokenize_splits(
    corpus: Path, folder: Path, settings: TokenizeSettings, *, workers: int
) -> dict[str, int]:
    """Fill `folder` with the tokenised splits of `corpus`; return counts."""
    _record(corpus, folder, settings)
    report: dict[str, int] = {}
    repeated = _Repeated(settings)
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    names = []
    for split in SPLITS:
        reasons = [f"dropped_{reason}" for reason in REASONS] if split == "train" else []
        counted = ["pairs", "kept", *reasons, *(f"{side}_tokens" for side in SIDES)]
        report |= dict.fromkeys((f"{split}_{name}" for name in counted), 0)
        names += [f"{split}.{name}" for name in (*columns_of(corpus, split), "lines")]
    chunks = map_chunks(
        partial(_tokenize, corpus, folder, settings),
        read_pairs(corpus),
        workers=workers,
        chunk_size=CHUNK_PAIRS,
    )
    with files_to_write(folder, [DROPPED, *names]) as files:
        files[DROPPED].write("split\tline\treason\n")
        for chunk in progress(chunks, "tokenize", total=None, unit="pairs", size=len):
            for split, line, columns, limit, fault, links in chunk:
                reason = limit or repeated.reason(split, columns)
                report[f"{split}_pairs"] += 1
                if reason:
                    report[f"{split}_dropped_{reason}"] += 1
                    files[DROPPED].write(f"{split}\t{line}\t{reason}\n")
                    continue
                if fault:
                    raise fault
                found[split].update(links)
                report[f"{split}_kept"] += 1
                for name, text in (*columns.items(), ("lines", str(line))):
                    files[f"{split}.{name}"].write(f"{text}\n")
                for side in SIDES:
                    report[f"{split}_{side}_tokens"] += columns[side].count(" ") + 1
    report |= repeated.report(corpus)
    if settings.case == "truecase":
        truecase_splits(folder)
    for split, side in product(SPLITS, SIDES):
        lines = read_lines(folder / f"{split}.{side}")
        report[f"{split}_{side}_types"] = len({word for line in lines for word in line.split(" ")})
    for split, of_links in found.items():
        mend = "subtract 1 from each number"
        tell_contradictions(corpus / f"{split}.links", of_links, mend=mend)
    if not report["train_kept"]:
        numbers = {reason: report[f"train_dropped_{reason}"] for reason in REASONS}
        counts = ", ".join(f"{number:,} {reason}" for reason, number in numbers.items() if number)
        raise InputError(f"no training pair is left; dropped: {counts}", path=corpus)
    return report


def tokenize_corpus(
    tokenize: TokenizeSettings,
    run: RunConfig,
    *,
    corpus: Annotated[Path, Input("raw text", kind="raw text")],
    out: Annotated[Path, OutputFolder("tokenised text", "tokenised text")],
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Normalise, tokenise and clean a parallel corpus."""
    with stage_outputs(out, report) as (folder, metrics):
        metrics.update(tokenize_splits(corpus, folder, tokenize, workers=run.workers))


main = stage(tokenize_corpus)

if __name__ == "__main__":
    sys.exit(run(main))
