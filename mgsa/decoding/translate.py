"""A model artifact, or an ensemble, as an object that translates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from mgsa.base.errors import InputError
from mgsa.base.settings import Accelerator
from mgsa.config import STANDARD_SEARCH, SearchPrecision, TranslateConfig
from mgsa.data.batch import Row, make_batch
from mgsa.data.dataset import Dataset
from mgsa.data.vocabulary import UNK, Vocabulary, join_subwords
from mgsa.decoding.batches import in_batches
from mgsa.decoding.beam import Hypothesis, search_batch
from mgsa.decoding.precision import for_search, search_autocast
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.model_artifact import ModelArtifact, load_model


@dataclass(frozen=True)
class Candidate:
    """One translation of a sentence.

    `text` is in tokens, `score` a log probability over length penalty; `links`, if asked for,
    are of source and target words, counted from 0.
    """

    subwords: tuple[str, ...]
    text: str
    score: float
    links: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True)
class Translation:
    """The translations of a sentence.

    Attributes:
        n_best: candidates, best first; at least one.
        weights: if asked for, cross-attention of the best one by `layer_N.WHAT`
            (`layer_1.words`): (H, T, S) in subwords and end of sentence.
    """

    n_best: tuple[Candidate, ...]
    weights: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def subwords(self) -> tuple[str, ...]:
        """Of the best candidate."""
        return self.n_best[0].subwords

    @property
    def text(self) -> str:
        """Of the best candidate: tokens, separated by spaces."""
        return self.n_best[0].text

    @property
    def score(self) -> float:
        """Of the best candidate."""
        return self.n_best[0].score


NOTHING = Translation((Candidate((), "", 0.0),))
"""The translation of an empty sentence, without a model."""


def choose_device(accelerator: Accelerator) -> torch.device:
    """The device; `auto` is a GPU if there is one, and `gpu` without one is an `InputError`."""
    if accelerator == "cpu" or (accelerator == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    if not torch.cuda.is_available():
        raise InputError("accelerator: expected cpu or auto, as there is no GPU; got gpu")
    return torch.device("cuda")


class Translator:
    """Translates rows of a dataset, or subwords; `pipeline.load` is for raw text.

    The models of `artifacts`, moved to `device`, are an ensemble that averages probabilities; an
    `InputError` is raised if they have different vocabularies.
    """

    def __init__(self, artifacts: Sequence[ModelArtifact], device: torch.device) -> None:
        self.artifacts = tuple(artifacts)
        self.device = device
        first, *others = self.artifacts
        for other in others:
            first.check_vocabularies(other.vocabularies, other.folder)
        for artifact in self.artifacts:
            artifact.model.to(device).eval()
        self._for_search: dict[SearchPrecision, list[EncoderDecoder]] = {}

    @classmethod
    def load(
        cls, folders: Path | Sequence[Path], *, accelerator: Accelerator = "auto"
    ) -> Translator:
        """Open one model artifact, or an ensemble; errors as of `load_model` and the class."""
        device = choose_device(accelerator)
        folders = [folders] if isinstance(folders, Path) else folders
        return cls([load_model(folder) for folder in folders], device)

    @property
    def levels(self) -> int:
        """Syntactic levels that rows must have."""
        return max(artifact.levels for artifact in self.artifacts)

    def translate(
        self,
        rows: Sequence[Row],
        *,
        beam: int = STANDARD_SEARCH.beam,
        n_best: int = 1,
        length_penalty: float = STANDARD_SEARCH.length_penalty,
        max_length_ratio: float = STANDARD_SEARCH.max_length_ratio,
        max_length_extra: int = STANDARD_SEARCH.max_length_extra,
        batch_tokens: int = STANDARD_SEARCH.batch_tokens,
        precision: SearchPrecision = STANDARD_SEARCH.precision,
        prefixes: Sequence[Sequence[str]] | None = None,
        need_weights: bool = False,
    ) -> list[Translation]:
        """The translations of rows, in order.

        Args:
            n_best: translations of each, at most `beam`.
            max_length_ratio, max_length_extra: the longest translation, as a multiple of the
                source's subwords plus a constant.
            batch_tokens: source subwords of a batch, with padding.
            precision: of matrix products. With int8, on an x86 CPU alone, a sentence's translation
                may depend on those that share its batch.
            prefixes: target subwords that each translation must begin with.
            need_weights: whether to return weights of cross-attention.

        Raises:
            InputError: something is no row, or lacks syntactic levels that the model needs; weights
                of an ensemble are asked for; or int8 on another device.
        """
        for row in rows:
            if not isinstance(row, Row):
                message = f"expected rows, got {row!r}; raw text goes through `pipeline.load`"
                raise InputError(f"{message}, subwords through `rows_of_subwords`")
            levels = len(row.phrase_lengths)
            if len(row.source) and levels < self.levels:
                raise InputError(
                    f"expected rows with {self.levels} levels of phrases, got {levels}"
                )
        config = TranslateConfig(
            beam=beam,
            length_penalty=length_penalty,
            max_length_ratio=max_length_ratio,
            max_length_extra=max_length_extra,
            batch_tokens=batch_tokens,
            precision=precision,
        )
        if prefixes is not None and len(prefixes) != len(rows):
            raise InputError(f"expected {len(rows)} prefixes, got {len(prefixes)}")
        translations = self.translate_rows(
            rows, config, n_best=n_best, prefixes=prefixes, need_weights=need_weights
        )
        return list(translations)

    def rows_of_subwords(self, lines: Sequence[str]) -> list[Row]:
        """The rows of lines of the stage `bpe`: subwords with `@@`, separated by spaces.

        Raises:
            InputError: an unknown subword, or the model attends to phrases, which no line tells.
        """
        first, rows = self.artifacts[0], []
        if self.levels:
            message = "the model attends to syntactic phrases: expected rows of a dataset"
            raise InputError(f"{message}, or raw text (`pipeline.load`)", path=first.folder)
        for line in lines:
            subwords = line.split()
            rows.append(Row.of_subwords(subwords, first.vocabularies[0]))
            if UNK in rows[-1].source:
                unknown = subwords[rows[-1].source.index(UNK)]
                message = f"expected subwords of the model's vocabulary, got {unknown!r}"
                raise InputError(f"{message}; raw text goes through `pipeline.load`")
        return rows

    def translate_rows(
        self,
        rows: Iterable[Row],
        config: TranslateConfig,
        *,
        n_best: int = 1,
        prefixes: Sequence[Sequence[str]] | None = None,
        need_weights: bool = False,
        advance: Callable[[int], None] = lambda _: None,
    ) -> Iterator[Translation]:
        """`translate` for rows; `advance` is called with numbers of finished rows."""
        if need_weights and len(self.artifacts) > 1:
            raise InputError("weights of attention: expected one model, got several")
        models = self._models(config.precision)
        target = self.artifacts[0].vocabularies[1]
        if prefixes is not None:
            rows = (
                row.with_target(prefix, target) for row, prefix in zip(rows, prefixes, strict=True)
            )

        def search(members: Sequence[Row]) -> list[Translation]:
            batches = [
                make_batch(members, model.granularities, ngram_unit=model.ngram_unit)
                for model in models
            ]
            with search_autocast(self.device, config.precision):
                results = search_batch(
                    models,
                    [batch.to(self.device) for batch in batches],
                    config,
                    n_best=n_best,
                    prefixes=[row.target for row in members] if prefixes is not None else None,
                    need_weights=need_weights,
                )
            return [
                _translation(hypotheses, target, source_length=len(row.source) + 1)
                for hypotheses, row in zip(results, members, strict=True)
            ]

        return in_batches(
            rows,
            search,
            lambda _: NOTHING,
            batch_tokens=config.batch_tokens,
            pairs=False,
            advance=advance,
        )

    def _models(self, precision: SearchPrecision) -> list[EncoderDecoder]:
        """The models prepared for a precision, once."""
        if precision not in self._for_search:
            models = [for_search(artifact.model, precision) for artifact in self.artifacts]
            self._for_search[precision] = models
        return self._for_search[precision]

    def check_dataset(self, dataset: Dataset) -> None:
        """Raise an `InputError` if a dataset's vocabularies or levels are not the models'."""
        for artifact in self.artifacts:
            artifact.check_dataset(dataset)


def _translation(
    hypotheses: Sequence[Hypothesis], vocabulary: Vocabulary, *, source_length: int
) -> Translation:
    decoded = [(tuple(vocabulary.decode(h.ids)), h.score) for h in hypotheses]
    return Translation(
        tuple(Candidate(subwords, join_subwords(subwords), score) for subwords, score in decoded),
        {
            name: weights.swapaxes(0, 1)[:, :, :source_length]
            for name, weights in hypotheses[0].weights.items()
        },
    )
