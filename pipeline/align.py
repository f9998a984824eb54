"""Stage `align`: word links of every pair of the tokenised text, by an aligner or from files.

A model can be trained to such links, so they are part of the dataset. Links that came with the
corpus (the built-in sample has them) are taken as gold, to score what an aligner finds.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any

from mgsa.analysis.alignment_error import AlignmentCounts, GoldLinks, count
from mgsa.base.cli import progress, run
from mgsa.base.command import Input, OutputFolder, Report
from mgsa.base.errors import InputError
from mgsa.base.io import open_to_write, write_json
from mgsa.base.settings import to_mapping
from mgsa.base.word_links import Link, format_links
from pipeline.aligners.link_files import corpus_links, pharaoh_links, read_link_file
from pipeline.aligners.settings import (
    AlignSettings,
    CorpusSettings,
    EflomalSettings,
    HmmSettings,
    NoLinks,
    PharaohSettings,
)
from pipeline.aligners.symmetrize import symmetrize
from pipeline.alignment_error import percentages
from pipeline.base.stage import SPLITS, stage, stage_outputs
from pipeline.base.text import read_pairs
from pipeline.base.workers import chunks

MARK = "aligner.json"
PORTION = 20_000
"""Pairs that the hidden Markov model aligns at once."""

Found = tuple[dict[str, Iterator[set[Link]]], dict[str, Any]]
"""By split, the links of each pair, to be read in this order; what `aligner.json` says of them."""


def find_links(settings: AlignSettings, tokenized: Path) -> Found:
    """The links of an aligner; one that learns has learned.

    Raises:
        InputError: text or files of links are missing or malformed, or it is not installed.
        FailedError: another program than this one failed.
    """
    match settings:
        case HmmSettings():
            return _hmm(settings, tokenized)
        case EflomalSettings():
            return _eflomal(settings, tokenized)
        case PharaohSettings():
            return pharaoh_links(settings, tokenized)
        case CorpusSettings():
            found = corpus_links(tokenized)
            if not found:
                raise InputError(
                    "align.kind: corpus: expected links that came with the corpus, such as "
                    "train.links",
                    path=tokenized,
                )
            return found, {"deterministic": True}
        case NoLinks():
            return {}, {"deterministic": True}


def _hmm(settings: HmmSettings, tokenized: Path) -> Found:
    from pipeline.aligners.hmm_aligner import HmmAligner

    num_pairs = sum(1 for _ in read_pairs(tokenized, "train"))
    # A corpus is often several, one after the other: its first pairs would be of one kind.
    chosen = evenly(read_pairs(tokenized, "train"), settings.learn_pairs, of=num_pairs)
    aligner = HmmAligner(list(chosen), settings)

    def links(split: str) -> Iterator[set[Link]]:
        for portion in chunks(read_pairs(tokenized, split), PORTION):
            for forward, reverse in aligner.align(portion):
                yield symmetrize(forward, reverse, settings.symmetrization)

    return {split: links(split) for split in SPLITS}, {"deterministic": True}


def evenly(pairs: Iterable[tuple[str, str]], count: int, *, of: int) -> Iterator[tuple[str, str]]:
    """The first of `of` pairs and others at even distances, `count` in all; all if that is more."""
    return (pair for number, pair in enumerate(pairs) if number * count % of < count)


def _eflomal(settings: EflomalSettings, tokenized: Path) -> Found:
    """All splits at once, for it aligns only what it learns from."""
    from pipeline.aligners.eflomal_command import installed_version, run_eflomal

    pairs = chain.from_iterable(read_pairs(tokenized, split) for split in SPLITS)
    found = (symmetrize(*both, settings.symmetrization) for both in run_eflomal(pairs, settings))
    counts = {split: sum(1 for _ in read_pairs(tokenized, split)) for split in SPLITS}
    return {split: islice(found, counts[split]) for split in SPLITS}, {
        "deterministic": False,
        "note": "eflomal seeds itself: its links differ from run to run",
        "version": installed_version(),
    }


def _write_split(
    folder: Path, tokenized: Path, split: str, found: Iterator[set[Link]]
) -> dict[str, float]:
    """Write the links of a split, a line for each pair; their counts."""
    rows = progress(
        zip(read_pairs(tokenized, split), found, strict=True),
        f"align {split}",
        total=None,
        unit="pairs",
        size=lambda _: 1,
    )
    num_pairs = num_links = unlinked = 0
    words, linked = [0, 0], [0, 0]
    with open_to_write(folder / f"{split}.links") as file:
        for pair, links in rows:
            file.write(f"{format_links(links)}\n")
            num_pairs += 1
            num_links += len(links)
            unlinked += not links
            for side, text in enumerate(pair):
                words[side] += text.count(" ") + 1
                linked[side] += len({link[side] for link in links})
    return {
        "pairs": num_pairs,
        "pairs_without_links": unlinked,
        "links": num_links,
        "links_per_target_word": round(num_links / words[1], 4),
        "unaligned_source": round(1 - linked[0] / words[0], 4),
        "unaligned_target": round(1 - linked[1] / words[1], 4),
    }


def _score(
    folder: Path, tokenized: Path, split: str, gold: Iterator[set[Link]]
) -> dict[str, float]:
    """Precision, recall and AER of written links, in per cent."""
    written = read_link_file(folder / f"{split}.links", tokenized, split)
    total = AlignmentCounts()
    for links, sure in zip(written, gold, strict=True):
        total += count(links, GoldLinks.of(sure))
    return percentages(total)


def align_corpus(
    align: AlignSettings,
    *,
    tokenized: Annotated[Path, Input("tokenised text")],
    out: Annotated[
        Path, OutputFolder("SPLIT.links", MARK, *(f"{split}.links" for split in SPLITS))
    ],
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Find or take over the word links of each pair of a tokenised corpus."""
    with stage_outputs(out, report) as (folder, metrics):
        gold = not isinstance(align, CorpusSettings)
        for links in corpus_links(tokenized).values():
            deque(links, maxlen=0)  # a malformed one is named before an hour of learning
        found, description = find_links(align, tokenized)
        for split, links in found.items():
            numbers = _write_split(folder, tokenized, split, links)
            if gold and split in (right := corpus_links(tokenized)):
                numbers |= _score(folder, tokenized, split, right[split])
            metrics.update({f"{split}_{name}": number for name, number in numbers.items()})
        about = {"splits": list(found), "settings": to_mapping(align)}
        write_json(folder / MARK, {"kind": align.kind, **description, **about})


main = stage(align_corpus)

if __name__ == "__main__":
    sys.exit(run(main))
