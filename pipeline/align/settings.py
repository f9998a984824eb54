"""Settings of the stage `align`, one class for each kind of aligner."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Interval

from mgsa.cli.settings import InputPath, Positive, Probability
from pipeline.align.symmetrize import Symmetrization


@dataclass(frozen=True)
class HmmSettings:
    """IBM model 1, then a hidden Markov model, in both directions.

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
    """The command `eflomal-align`, which takes no seed."""

    kind: Literal["eflomal"]
    symmetrization: Symmetrization
    model: Literal[1, 2, 3]
    length: Annotated[float, Interval(ge=0.01, le=1_000)]
    samplers: Annotated[int, Interval(ge=1, le=1_000)]
    null_prior: Probability


@dataclass(frozen=True)
class LinkFiles:
    """Pharaoh files of a split: links by target word and, optionally, by source word."""

    forward: InputPath
    reverse: InputPath | None


@dataclass(frozen=True)
class PharaohSettings:
    """Pharaoh files of any aligner, a line for each pair of the tokenised text."""

    kind: Literal["pharaoh"]
    symmetrization: Symmetrization
    first: Literal[0, 1]
    reverse_order: Literal["source_first", "target_first"]
    train: LinkFiles
    valid: LinkFiles | None
    test: LinkFiles | None


@dataclass(frozen=True)
class NoAligner:
    """The links that came with the corpus (`corpus`), or none."""

    kind: Literal["corpus", "none"]


AlignSettings = HmmSettings | EflomalSettings | PharaohSettings | NoAligner
