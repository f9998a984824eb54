"""Stage `align`: word links of every pair of the tokenised text, by an aligner or from files.

A model can be trained to such links, so they are part of the dataset. Links that came with the
corpus (the built-in sample has them) are taken as gold, to score what an aligner finds.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Set
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

from mgsa.analysis.alignment_error import AlignmentCounts, GoldLinks, count
from mgsa.base.cli import progress, run
from mgsa.base.command import Input, OutputFolder, Report
from mgsa.base.errors import InputError
from mgsa.base.io import open_to_write, write_json
from mgsa.base.settings import to_mapping
from mgsa.base.word_links import Link, format_links
from pipeline.aligners.aligner import (
    Aligner,
    AlignSettings,
    CorpusSettings,
    EflomalSettings,
    HmmSettings,
    NoLinks,
    Pair,
    PharaohSettings,
    lengths,
    read_pairs,
)
from pipeline.aligners.link_files import LinkFile, corpus_links, pharaoh_aligner
from pipeline.aligners.symmetrize import symmetrize
from pipeline.alignment_error import percentages
from pipeline.base.stage import SPLITS, stage, stage_outputs
from pipeline.base.workers import chunks

MARK = "aligner.json"
PORTION = 20_000
"""Pairs that the hidden Markov model aligns at once."""


def make_aligner(settings: AlignSettings, tokenized: Path) -> Aligner:
    """The aligner of these settings; one that learns has learned.

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
            return pharaoh_aligner(settings, tokenized)
        case CorpusSettings():
            return _corpus(tokenized)
        case NoLinks():
            return Aligner((), lambda _: iter(()), {"deterministic": True})


def _hmm(settings: HmmSettings, tokenized: Path) -> Aligner:
    from pipeline.aligners.hmm_aligner import HmmAligner

    num_pairs = sum(1 for _ in read_pairs(tokenized, "train"))
    # A corpus is often several, one after the other: its first pairs would be of one kind.
    chosen = evenly(read_pairs(tokenized, "train"), settings.learn_pairs, of=num_pairs)
    aligner = HmmAligner(list(chosen), settings)

    def links(split: str) -> Iterator[Set[Link]]:
        for portion in chunks(read_pairs(tokenized, split), PORTION):
            for forward, reverse in aligner.align(portion):
                yield symmetrize(forward, reverse, settings.symmetrization)

    return Aligner(SPLITS, links, {"deterministic": True})


def evenly(pairs: Iterable[Pair], count: int, *, of: int) -> Iterator[Pair]:
    """The first of `of` pairs and others at even distances, `count` in all; all if that is more."""
    return (pair for number, pair in enumerate(pairs) if number * count % of < count)


def _eflomal(settings: EflomalSettings, tokenized: Path) -> Aligner:
    """All splits at once, for it aligns only what it learns from."""
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


def _corpus(tokenized: Path) -> Aligner:
    files = corpus_links(tokenized)
    if not files:
        raise InputError(
            "align.kind: corpus: expected links that came with the corpus, such as train.links",
            path=tokenized,
        )
    return Aligner(
        tuple(files), lambda split: files[split].read(tokenized, first=0), {"deterministic": True}
    )


def _write_split(folder: Path, tokenized: Path, split: str, aligner: Aligner) -> dict[str, float]:
    """Write the links of a split, a line for each pair; their counts."""
    rows = progress(
        zip(read_pairs(tokenized, split), aligner.links(split), strict=True),
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


def _score(folder: Path, gold: LinkFile, tokenized: Path, split: str) -> dict[str, float]:
    """Precision, recall and AER of written links against those of the corpus, in per cent."""
    written = LinkFile(folder / f"{split}.links", split).read(tokenized, first=0)
    total = AlignmentCounts()
    for links, sure in zip(written, gold.read(tokenized, first=0), strict=True):
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
        gold = {} if isinstance(align, CorpusSettings) else corpus_links(tokenized)
        for file in gold.values():  # a malformed one is named before an hour of learning
            deque(file.read(tokenized, first=0), maxlen=0)
        aligner = make_aligner(align, tokenized)
        for split in aligner.splits:
            numbers = _write_split(folder, tokenized, split, aligner)
            if split in gold:
                numbers |= _score(folder, gold[split], tokenized, split)
            metrics.update({f"{split}_{name}": number for name, number in numbers.items()})
        write_json(
            folder / MARK,
            {
                "kind": align.kind,
                **aligner.description,
                "splits": aligner.splits,
                "settings": to_mapping(align),
            },
        )


main = stage(align_corpus)

if __name__ == "__main__":
    sys.exit(run(main))
