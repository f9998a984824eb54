"""Stage `align`: word links of every pair of the tokenised text, by an aligner or from files.

A model can be trained to such links, so they are part of the dataset. Where the corpus brings links
of its own (the built-in sample does), those are taken as gold, to score what an aligner finds.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from mgsa.analysis.alignment_error import AlignmentCounts, GoldLinks, count
from mgsa.base.cli import progress, run
from mgsa.base.errors import InputError
from mgsa.base.io import open_to_write, write_json
from mgsa.base.settings import to_mapping
from mgsa.word_links import Link, format_links
from pipeline.aligners.kinds import (
    KINDS,
    AlignSettings,
    CorpusSettings,
    EflomalSettings,
    HmmSettings,
    LinkFiles,
    NoLinks,
    PharaohSettings,
)
from pipeline.aligners.link_files import LinkFile, recognise_first
from pipeline.aligners.symmetrize import symmetrize
from pipeline.aligners.tokenized_pairs import Pair, lengths, read_pairs
from pipeline.alignment_error import percentages
from pipeline.base.stage import SPLITS, argument_parser, atomic_outputs, read_settings
from pipeline.base.workers import chunks

MARK = "aligner.json"
PORTION = 20_000
"""Pairs that the hidden Markov model aligns at once."""


@dataclass(frozen=True)
class Aligner:
    """What gives links.

    Attributes:
        splits: which splits it has links for.
        links: of a split, those of each pair.
        description: what it says of itself in `aligner.json`, besides its settings.
    """

    splits: tuple[str, ...]
    links: Callable[[str], Iterator[Set[Link]]]
    description: dict[str, Any]


def align_corpus(tokenized: Path, folder: Path, settings: AlignSettings) -> dict[str, float]:
    """Fill `folder` with the links of `tokenized`, and give their counts.

    Raises:
        InputError: text or links are missing or malformed, or the aligner is not installed.
        FailedError: another program than this one failed.
    """
    gold = {} if isinstance(settings, CorpusSettings) else _gold(tokenized)
    for links in gold.values():  # what is wrong there is not to be said after an hour of learning
        deque(links.read(tokenized, first=0), maxlen=0)
    aligner = make_aligner(settings, tokenized)
    report: dict[str, float] = {}
    for split in aligner.splits:
        counts = _write_split(folder, tokenized, split, aligner)
        report |= {f"{split}_{name}": number for name, number in counts.items()}
        if split in gold:
            scores = score(folder, gold[split], tokenized, split)
            report |= {f"{split}_{name}": number for name, number in scores.items()}
    write_json(
        folder / MARK,
        {
            "kind": settings.kind,
            **aligner.description,
            "splits": aligner.splits,
            "settings": to_mapping(settings),
        },
    )
    return report


def make_aligner(settings: AlignSettings, tokenized: Path) -> Aligner:
    """The aligner of these settings; one that learns has learned.

    Raises:
        InputError: text or files of links are missing or malformed, or it is not installed.
    """
    match settings:
        case HmmSettings():
            return Aligner(SPLITS, _hmm(settings, tokenized), {"deterministic": True})
        case EflomalSettings():
            return _eflomal(settings, tokenized)
        case PharaohSettings():
            return _files(settings, tokenized)
        case CorpusSettings():
            return _corpus(tokenized)
        case NoLinks():
            return Aligner((), lambda _: iter(()), {"deterministic": True})


def _hmm(settings: HmmSettings, tokenized: Path) -> Callable[[str], Iterator[Set[Link]]]:
    from pipeline.aligners.hmm_aligner import HmmAligner

    num_pairs = sum(1 for _ in read_pairs(tokenized, "train"))
    # A corpus is often several, one after the other: its first pairs would be of one kind.
    chosen = evenly(read_pairs(tokenized, "train"), settings.learn_pairs, of=num_pairs)
    aligner = HmmAligner(list(chosen), settings)

    def links(split: str) -> Iterator[Set[Link]]:
        pairs = read_pairs(tokenized, split)
        for portion in chunks(pairs, PORTION, lambda pair: sum(map(len, pair))):
            for forward, reverse in aligner.align(portion):
                yield symmetrize(forward, reverse, settings.symmetrization)

    return links


def evenly(pairs: Iterable[Pair], count: int, *, of: int) -> Iterator[Pair]:
    """The first of `of` pairs and others at even distances, `count` in all; all if that is more."""
    return (pair for number, pair in enumerate(pairs) if number * count % of < count)


def _eflomal(settings: EflomalSettings, tokenized: Path) -> Aligner:
    """All splits at once: it can't align what it doesn't learn from."""
    from pipeline.aligners.eflomal_command import installed_version, run_eflomal

    counts = {split: sum(1 for _ in read_pairs(tokenized, split)) for split in SPLITS}
    pairs = chain.from_iterable(read_pairs(tokenized, split) for split in SPLITS)
    found = run_eflomal(pairs, settings)

    def links(split: str) -> Iterator[Set[Link]]:
        for forward, reverse in islice(found, counts[split]):
            yield symmetrize(forward, reverse, settings.symmetrization)

    description = {
        "deterministic": False,
        "note": "eflomal seeds itself: its links differ from run to run",
        "version": installed_version(),
    }
    return Aligner(SPLITS, links, description)


def _files(settings: PharaohSettings, tokenized: Path) -> Aligner:
    named: dict[str, LinkFiles] = {}
    for split in SPLITS:
        if (files := getattr(settings, split)) is not None:
            named[split] = files
    forward = {split: LinkFile(Path(files.forward), split) for split, files in named.items()}
    reverse = {
        split: LinkFile(Path(files.reverse), split, settings.reverse_order == "target_first")
        for split, files in named.items()
        if files.reverse is not None
    }
    if settings.first == "auto":
        first, reason = recognise_first([*forward.values(), *reverse.values()], tokenized)
        print(f"align.first: words are counted from {first}: {reason}", file=sys.stderr)
    else:
        first, reason = settings.first, "set"

    def links(split: str) -> Iterator[Set[Link]]:
        found = forward[split].read(tokenized, first=first)
        if split not in reverse:
            return found
        both = zip(found, reverse[split].read(tokenized, first=first), strict=True)
        return (symmetrize(one, other, settings.symmetrization) for one, other in both)

    return Aligner(
        tuple(named), links, {"deterministic": True, "first": first, "first_because": reason}
    )


def _corpus(tokenized: Path) -> Aligner:
    files = _gold(tokenized)
    if not files:
        raise InputError(
            "align.kind: corpus: expected links that came with the corpus, such as train.links",
            path=tokenized,
        )

    def links(split: str) -> Iterator[Set[Link]]:
        return files[split].read(tokenized, first=0)

    return Aligner(tuple(files), links, {"deterministic": True})


def _gold(tokenized: Path) -> dict[str, LinkFile]:
    """The links that came with the corpus, by split."""
    files = {split: LinkFile(tokenized / f"{split}.links", split) for split in SPLITS}
    return {split: file for split, file in files.items() if file.path.is_file()}


def _write_split(folder: Path, tokenized: Path, split: str, aligner: Aligner) -> dict[str, float]:
    """Write the links of a split, a line for each pair; their counts."""
    shown = progress(
        zip(read_pairs(tokenized, split), aligner.links(split), strict=True),
        f"align {split}",
        total=None,
        unit="pairs",
        size=lambda _: 1,
    )
    num_pairs = num_links = unlinked = 0
    words, linked = [0, 0], [0, 0]
    with open_to_write(folder / f"{split}.links") as file:
        for pair, links in shown:
            file.write(f"{format_links(links)}\n")
            num_pairs += 1
            num_links += len(links)
            unlinked += not links
            for side, length in enumerate(lengths(pair)):
                words[side] += length
                linked[side] += len({link[side] for link in links})
    return {
        "pairs": num_pairs,
        "pairs_without_links": unlinked,
        "links": num_links,
        "links_per_target_word": round(num_links / words[1], 4),
        "unaligned_source": round(1 - linked[0] / words[0], 4),
        "unaligned_target": round(1 - linked[1] / words[1], 4),
    }


def score(folder: Path, gold: LinkFile, tokenized: Path, split: str) -> dict[str, float]:
    """Precision, recall and AER of written links against those of the corpus, in per cent.

    Raises:
        InputError: the corpus's links are malformed.
    """
    written = LinkFile(folder / f"{split}.links", split).read(tokenized, first=0)
    total = AlignmentCounts()
    for links, sure in zip(written, gold.read(tokenized, first=0), strict=True):
        total += count(links, GoldLinks.of(sure))
    return percentages(total)


def main(argv: Sequence[str] | None = None) -> None:
    """Align a tokenised corpus."""
    parser = argument_parser("align", "Word links of each pair of a tokenised corpus.")
    parser.add_argument(
        "--tokenized", type=Path, required=True, metavar="DIR", help="tokenised text"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="SPLIT.links")
    parser.add_argument("--report", type=Path, required=True, metavar="FILE", help="counts (JSON)")
    arguments = parser.parse_args(argv)
    settings = read_settings(arguments, "align", KINDS)
    read = [arguments.tokenized]
    with atomic_outputs(arguments.out, arguments.report, MARK, inputs=read) as (folder, report):
        report.update(align_corpus(arguments.tokenized, folder, settings))


if __name__ == "__main__":
    sys.exit(run(main))
