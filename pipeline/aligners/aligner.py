"""What an aligner is: what it reads, what it gives, and the settings of each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Interval

from mgsa.base.command import Reads
from mgsa.base.settings import Positive, Probability
from mgsa.base.word_links import Link
from pipeline.aligners.symmetrize import Symmetrization
from pipeline.base.stage import SIDES
from pipeline.base.text import read_parallel, split_tokens

Pair = tuple[str, str]
"""Source and target, tokens with one space between them."""


@dataclass(frozen=True)
class Aligner:
    """What gives links.

    Attributes:
        splits: which splits it has links for.
        links: of a split, those of each pair.
        description: what `aligner.json` says of it besides its settings.
    """

    splits: tuple[str, ...]
    links: Callable[[str], Iterator[Set[Link]]]
    description: dict[str, Any]


def read_pairs(tokenized: Path, split: str) -> Iterator[Pair]:
    """The pairs of a split, in order.

    Raises:
        InputError: as `read_parallel` and `split_tokens`.
    """
    paths = [tokenized / f"{split}.{side}" for side in SIDES]
    for line, (source, target) in enumerate(read_parallel(paths), start=1):
        for path, text in zip(paths, (source, target), strict=True):
            split_tokens(text, path=path, line=line)
        yield source, target


def lengths(pair: Pair) -> tuple[int, int]:
    """The number of words of each side."""
    source, target = pair
    return source.count(" ") + 1, target.count(" ") + 1


@dataclass(frozen=True)
class HmmSettings:
    """Our own aligner: IBM model 1, then a hidden Markov model, in both directions.

    `lexical_prior` is the Dirichlet parameter of translation probabilities (0: maximum likelihood),
    `null_probability` the share of words that have no translation.
    """

    kind: Literal["hmm"]
    symmetrization: Symmetrization
    fold_case: bool
    ibm1_iterations: Annotated[int, Interval(ge=0, le=1_000)]
    hmm_iterations: Annotated[int, Interval(ge=1, le=1_000)]
    lexical_prior: Annotated[float, Interval(ge=0, le=1_000)]
    null_probability: Probability
    learn_pairs: Positive
    max_words: Positive


@dataclass(frozen=True)
class EflomalSettings:
    """The command `eflomal-align` (Östling & Tiedemann 2016), which takes no seed."""

    kind: Literal["eflomal"]
    symmetrization: Symmetrization
    model: Literal[1, 2, 3]
    length: Annotated[float, Interval(ge=0.01, le=1_000)]
    samplers: Annotated[int, Interval(ge=1, le=1_000)]
    null_prior: Probability


@dataclass(frozen=True)
class LinkFiles:
    """A file of links for each target word, and one of those for each source word, if any."""

    forward: Annotated[str, Reads()]
    reverse: Annotated[str, Reads()] | None


@dataclass(frozen=True)
class PharaohSettings:
    """Any aligner's files, a line for each pair of the tokenised text."""

    kind: Literal["pharaoh"]
    symmetrization: Symmetrization
    first: Literal["auto", 0, 1]
    reverse_order: Literal["source_first", "target_first"]
    train: LinkFiles
    valid: LinkFiles | None
    test: LinkFiles | None


@dataclass(frozen=True)
class CorpusSettings:
    """The links that came with the corpus."""

    kind: Literal["corpus"]


@dataclass(frozen=True)
class NoLinks:
    """No links: no model learns from any."""

    kind: Literal["none"]


AlignSettings = HmmSettings | EflomalSettings | PharaohSettings | CorpusSettings | NoLinks
