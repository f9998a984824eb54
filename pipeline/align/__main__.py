"""Stage `align`: word links of every pair of the tokenised text, by an aligner or from files.

A model can be trained to such links, so they are part of the dataset. Links that came with the
corpus (the built-in sample has them) are taken as gold, to score what an aligner finds; of possible
ones (`3p4`) nothing is learned.
"""

import sys
from collections import deque
from collections.abc import Iterator
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, OutputFolder, Report
from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write, write_json
from mgsa.cli.progress import progress
from mgsa.cli.run import run
from mgsa.cli.workers import map_chunks
from mgsa.data.word_links import Link, format_links
from mgsa.run_config import RunConfig
from pipeline.align.error_rate import AlignmentCounts, count, percentages
from pipeline.align.settings import (
    AlignSettings,
    EflomalSettings,
    HmmSettings,
    NoAligner,
    PharaohSettings,
)
from pipeline.align.symmetrize import symmetrize
from pipeline.formats.link_files import GoldLinks, corpus_links, read_link_file
from pipeline.formats.links import Notation
from pipeline.formats.text import SPLITS, Pair, read_pairs
from pipeline.stage.command import stage, stage_outputs

MARK = "aligner.json"
PORTION = 5_000
"""Pairs that the hidden Markov model aligns at once."""

Found = dict[str, Iterator[set[Link]]]
"""The links of each pair by split, to be read in this order."""


def find_links(settings: AlignSettings, tokenized: Path, workers: int) -> Found:
    """The links of each split; a statistical aligner is trained first."""
    match settings:
        case HmmSettings():
            return _hmm(settings, tokenized, workers)
        case EflomalSettings():
            return _eflomal(settings, tokenized)
        case PharaohSettings():
            return _from_files(settings, tokenized)
        case NoAligner(kind="corpus"):
            found = corpus_links(tokenized)
            if not found:
                expected = "expected links that came with the corpus, such as train.links"
                raise InputError(f"align.kind: corpus: {expected}", path=tokenized)
            return {split: (sure for sure, _ in links) for split, links in found.items()}
        case NoAligner():
            return {}


def _hmm(settings: HmmSettings, tokenized: Path, workers: int) -> Found:
    from pipeline.align.hmm import HmmAligner

    num_pairs = sum(1 for _ in read_pairs(tokenized, "train"))
    # A corpus is often several, one after the other: its first pairs would be of one kind.
    chosen = [
        pair
        for number, pair in enumerate(read_pairs(tokenized, "train"))
        if number * settings.learn_pairs % num_pairs < settings.learn_pairs
    ]
    aligner = HmmAligner(chosen, settings, workers)

    def align(portion: list[Pair]) -> list[set[Link]]:
        return [symmetrize(*both, settings.symmetrization) for both in aligner.align(portion)]

    def links(split: str) -> Iterator[set[Link]]:
        pairs = read_pairs(tokenized, split)
        portions = map_chunks(align, pairs, workers=workers, chunk_size=PORTION, fork=True)
        return chain.from_iterable(portions)

    return {split: links(split) for split in SPLITS}


def _eflomal(settings: EflomalSettings, tokenized: Path) -> Found:
    """Align all splits in one call, since eflomal aligns only its training text."""
    from pipeline.align.eflomal import run_eflomal

    pairs = chain.from_iterable(read_pairs(tokenized, split) for split in SPLITS)
    found = (symmetrize(*both, settings.symmetrization) for both in run_eflomal(pairs, settings))
    counts = {split: sum(1 for _ in read_pairs(tokenized, split)) for split in SPLITS}
    return {split: islice(found, counts[split]) for split in SPLITS}


def _from_files(settings: PharaohSettings, tokenized: Path) -> Found:
    """Read forward links, symmetrised with reverse ones if given."""
    target_first = settings.reverse_order == "target_first"
    found: Found = {}
    for split in SPLITS:
        if files := getattr(settings, split):
            path, notation = Path(files.forward), Notation(settings.first)
            mend = "give align.first=1"
            links = read_link_file(path, tokenized, split, notation, mend=mend)
            if files.reverse is not None:
                notation = Notation(settings.first, target_first)
                path = Path(files.reverse)
                reverse = read_link_file(path, tokenized, split, notation, mend=mend)
                links = map(symmetrize, links, reverse, repeat(settings.symmetrization))
            found[split] = links
    return found


def _write_split(
    path: Path, pairs: Iterator[Pair], found: Iterator[set[Link]], gold: Iterator[GoldLinks] | None
) -> dict[str, float]:
    """Write the links of a split; return counts, and scores against gold links."""
    total = AlignmentCounts()
    num_pairs = num_links = unlinked = 0
    words, linked = [0, 0], [0, 0]
    # Links first: a file of them with more lines than pairs says so at its end.
    rows = zip(found, pairs, repeat(None) if gold is None else gold, strict=False)
    with open_to_write(path) as file:
        for links, pair, right in progress(rows, f"align {path.stem}", unit="pairs"):
            file.write(f"{format_links(links)}\n")
            num_pairs += 1
            num_links += len(links)
            unlinked += not links
            for side, text in enumerate(pair):
                words[side] += text.count(" ") + 1
                linked[side] += len({link[side] for link in links})
            if right is not None:
                total += count(links, *right)
    return {
        "pairs": num_pairs,
        "pairs_without_links": unlinked,
        "links": num_links,
        "links_per_target_word": round(num_links / words[1], 4),
        "unaligned_source": round(1 - linked[0] / words[0], 4),
        "unaligned_target": round(1 - linked[1] / words[1], 4),
        **({} if gold is None else percentages(total)),
    }


def align_corpus(
    align: AlignSettings,
    run: RunConfig,
    *,
    tokenized: Annotated[Path, Input("tokenised text", kind="tokenised text")],
    out: Annotated[Path, OutputFolder("SPLIT.links", "word links")],
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Find or take over the word links of each pair of a tokenised corpus."""
    with stage_outputs(out, report) as (folder, metrics):
        for given in corpus_links(tokenized).values():
            deque(given, maxlen=0)  # a malformed one is named before an hour of learning
        found = find_links(align, tokenized, run.workers)
        gold = {} if align.kind == "corpus" else corpus_links(tokenized)
        for split, links in found.items():
            pairs = read_pairs(tokenized, split)
            numbers = _write_split(folder / f"{split}.links", pairs, links, gold.get(split))
            metrics.update({f"{split}_{name}": number for name, number in numbers.items()})
        about = {
            "kind": align.kind,
            "deterministic": not isinstance(align, EflomalSettings),  # it seeds itself
            "splits": list(found),
        }
        write_json(folder / MARK, about)


main = stage(align_corpus)

if __name__ == "__main__":
    sys.exit(run(main))
