"""A model artifact, or several together, as an object that translates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch

from mgsa.base.cli import progress
from mgsa.base.errors import InputError
from mgsa.config import TranslateConfig
from mgsa.data.artifact import Dataset
from mgsa.data.batch import Row, RowColumns, pad_columns
from mgsa.data.batching import EVALUATION_WINDOW
from mgsa.data.bucketing import bucketed
from mgsa.data.order import in_order, in_windows
from mgsa.decoding.beam import Hypothesis
from mgsa.decoding.device import Accelerator, choose_device
from mgsa.decoding.search import search_batch
from mgsa.decoding.settings import STANDARD
from mgsa.decoding.translation import NOTHING, Candidate, Translation, join_subwords
from mgsa.model_artifact import ModelArtifact, check_vocabularies, load_model


class Translator:
    """Translates rows of a dataset, or lines of subwords.

    Attributes:
        artifacts: the models, on one device; several translate together, by the mean of their
            probabilities.
    """

    def __init__(self, artifacts: Sequence[ModelArtifact], device: torch.device) -> None:
        """
        Raises:
            InputError: the models have different vocabularies.
        """
        self.artifacts = tuple(artifacts)
        self.device = device
        first, *others = self.artifacts
        for other in others:
            check_vocabularies(first, other.vocabularies, other.folder)
        for artifact in self.artifacts:
            artifact.model.to(device).eval()

    @classmethod
    def load(
        cls, folders: Path | Sequence[Path], *, accelerator: Accelerator = "auto"
    ) -> Translator:
        """Open one model artifact, or several that translate together.

        Raises:
            InputError: a folder is no model artifact, a file of it is missing or damaged, the
                models don't share their vocabularies, or there is no GPU to be had.
        """
        device = choose_device(accelerator)
        chosen = [folders] if isinstance(folders, Path) else folders
        return cls([load_model(folder) for folder in chosen], device)

    @property
    def levels(self) -> int:
        """How many levels of syntactic phrases rows must have; 0: none."""
        return max(artifact.levels for artifact in self.artifacts)

    def translate(
        self,
        sentences: Sequence[Row | str],
        *,
        beam: int = STANDARD.beam,
        n_best: int = 1,
        length_penalty: float = STANDARD.length_penalty,
        max_length_ratio: float = STANDARD.max_length_ratio,
        max_length_extra: int = STANDARD.max_length_extra,
        batch_tokens: int = STANDARD.batch_tokens,
        prefixes: Sequence[Sequence[str]] | None = None,
        need_weights: bool = False,
    ) -> list[Translation]:
        """The translation of every sentence, in their order.

        Args:
            sentences: rows, or texts as the `bpe` stage writes them: subwords separated by spaces.
            beam, n_best, length_penalty: of the search; `n_best` is at most `beam`.
            max_length_ratio, max_length_extra: the longest translation has this many times the
                source's subwords, and so many more.
            batch_tokens: padded source subwords that are translated at once.
            prefixes: target subwords with which each translation has to begin.
            need_weights: whether translations are to hold the weights of cross-attention.

        Raises:
            InputError: the model attends to syntactic phrases and was given text, or rows with
                fewer levels; or weights of several models are asked for; or `sentences` is a text.
        """
        if isinstance(sentences, str):  # a sequence of texts, to Python: its characters
            raise InputError("expected a list of sentences, got one text")
        config = TranslateConfig(
            beam=beam,
            length_penalty=length_penalty,
            max_length_ratio=max_length_ratio,
            max_length_extra=max_length_extra,
            batch_tokens=batch_tokens,
        )
        return self.translate_rows(
            [self.row(item) if isinstance(item, str) else item for item in sentences],
            config,
            n_best=n_best,
            prefixes=prefixes,
            need_weights=need_weights,
        )

    def translate_rows(
        self,
        rows: Sequence[Row],
        config: TranslateConfig,
        *,
        n_best: int = 1,
        prefixes: Sequence[Sequence[str]] | None = None,
        need_weights: bool = False,
    ) -> list[Translation]:
        """As `translate`, for rows."""
        batches = self.translate_batches(
            rows, config, n_best=n_best, prefixes=prefixes, need_weights=need_weights
        )
        return list(in_order(batches))

    def row(self, text: str) -> Row:
        """The row of a line of subwords.

        Raises:
            InputError: the model attends to syntactic phrases, which a line doesn't tell.
        """
        if self.levels:
            raise InputError(
                "the model attends to syntactic phrases, which text doesn't tell: expected rows "
                "of a dataset, or raw text through `python -m pipeline.translate`",
                path=self.artifacts[0].folder,
            )
        return Row.of_subwords(text.split(), self.artifacts[0].vocabularies[0])

    def translate_split(
        self,
        dataset: Dataset,
        split: str,
        config: TranslateConfig,
        *,
        n_best: int = 1,
        prefixes: Sequence[Sequence[str]] | None = None,
        need_weights: bool = False,
    ) -> Iterator[Translation]:
        """The translation of every row of a split, in its order, with progress on stderr.

        Rows of like length are translated together, as far as a window of rows goes, so memory
        does not grow with the split.

        Raises:
            InputError: as `translate`, or the dataset is not one for these models.
        """
        self.check_dataset(dataset)
        total = dataset.num_rows(split)
        _check_prefixes(prefixes, total)

        def translated(first: int, window: list[Row]) -> Iterator[list[tuple[int, Translation]]]:
            return self.translate_batches(
                window,
                config,
                n_best=n_best,
                prefixes=None if prefixes is None else prefixes[first : first + len(window)],
                need_weights=need_weights,
            )

        batches = in_windows(dataset.read(split), EVALUATION_WINDOW, translated)
        yield from in_order(
            progress(batches, f"translate {split}", total=total, unit="sentences", size=len)
        )

    def translate_batches(
        self,
        rows: Sequence[Row],
        config: TranslateConfig,
        *,
        n_best: int,
        prefixes: Sequence[Sequence[str]] | None,
        need_weights: bool,
    ) -> Iterator[list[tuple[int, Translation]]]:
        """Translations and their rows' places in `rows`, as they are found, batch by batch."""
        if need_weights and len(self.artifacts) > 1:
            raise InputError("weights of attention: expected one model, got several")
        _check_prefixes(prefixes, len(rows))
        filled = np.array([bool(len(row.source)) for row in rows], dtype=bool)
        yield [(place, NOTHING) for place in (~filled).nonzero()[0].tolist()]
        places = filled.nonzero()[0]
        chosen = [rows[place] for place in places.tolist()]
        fewest = min((len(row.phrase_lengths) for row in chosen), default=self.levels)
        if fewest < self.levels:
            raise InputError(f"expected rows with {self.levels} levels of phrases, got {fewest}")
        columns = RowColumns.of(chosen)
        lengths = np.stack([columns.source.lengths] * 2, axis=1)
        for members in bucketed(lengths, np.arange(len(chosen)), config.batch_tokens):
            together = places[members].tolist()
            found = self._search(
                columns.take(members),
                config,
                n_best=n_best,
                prefixes=None if prefixes is None else [prefixes[place] for place in together],
                need_weights=need_weights,
            )
            yield list(zip(together, found, strict=True))

    def _search(
        self,
        columns: RowColumns,
        config: TranslateConfig,
        *,
        n_best: int,
        prefixes: Sequence[Sequence[str]] | None,
        need_weights: bool,
    ) -> list[Translation]:
        """The translations of rows that fit one batch."""
        models = [artifact.model for artifact in self.artifacts]
        target = self.artifacts[0].vocabularies[1]
        found = search_batch(
            models,
            [
                pad_columns(columns, model.granularities, ngram_unit=model.ngram_unit).to(
                    self.device
                )
                for model in models
            ],
            config,
            n_best=n_best,
            prefixes=None if prefixes is None else [target.encode(prefix) for prefix in prefixes],
            need_weights=need_weights,
        )
        return [
            self._translation(hypotheses, source_length=length + 1)
            for hypotheses, length in zip(found, columns.source.lengths.tolist(), strict=True)
        ]

    def check_dataset(self, dataset: Dataset) -> None:
        """Check that a dataset's ids and phrases are what the models were trained on.

        Raises:
            InputError: its vocabularies differ, or it lacks a syntactic level.
        """
        for artifact in self.artifacts:
            artifact.check_dataset(dataset)

    def _translation(self, hypotheses: Sequence[Hypothesis], *, source_length: int) -> Translation:
        vocabulary = self.artifacts[0].vocabularies[1]
        candidates = []
        for hypothesis in hypotheses:
            subwords = tuple(vocabulary.decode(hypothesis.ids))
            candidates.append(Candidate(subwords, join_subwords(subwords), hypothesis.score))
        weights = {
            name: seen.swapaxes(0, 1)[:, :, :source_length]
            for name, seen in hypotheses[0].seen.items()
        }
        return Translation(tuple(candidates), weights)


def _check_prefixes(prefixes: Sequence[Sequence[str]] | None, num_rows: int) -> None:
    if prefixes is not None and len(prefixes) != num_rows:
        raise InputError(f"expected {num_rows} prefixes, one for each row, got {len(prefixes)}")
