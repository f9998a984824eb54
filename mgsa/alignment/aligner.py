"""A model artifact as an object that aligns pairs it is given (forced alignment)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from mgsa.alignment.links import strongest, word_links, word_matrix
from mgsa.alignment.pharaoh import Link
from mgsa.base.cli import progress
from mgsa.base.errors import InputError
from mgsa.data.artifact import Dataset
from mgsa.data.batch import Batch, Row, RowColumns, pad_columns
from mgsa.data.batching import EVALUATION_WINDOW
from mgsa.data.bucketing import bucketed
from mgsa.data.order import in_order, in_windows
from mgsa.decoding.device import Accelerator, choose_device
from mgsa.model.joint_alignment import layer_average
from mgsa.model_artifact import ModelArtifact, load_model


@dataclass(frozen=True)
class Alignment:
    """How much of each target subword is aligned to each source subword.

    Attributes:
        matrix: (T, S), neither with end of sentence; rows add up to what end of sentence leaves.
        source_words, target_words: the subwords of each word.
    """

    matrix: np.ndarray
    source_words: Sequence[int]
    target_words: Sequence[int]

    @property
    def links(self) -> list[Link]:
        """Links between words."""
        return word_links(
            strongest(self.matrix), source_words=self.source_words, target_words=self.target_words
        )

    @property
    def words(self) -> np.ndarray:
        """(target words, source words): the matrix in words."""
        return word_matrix(
            self.matrix, source_words=self.source_words, target_words=self.target_words
        )


class Aligner:
    """Aligns pairs by a model's alignment head, or by the average of a layer's heads.

    Attributes:
        artifact: the model, on the device.
        layer: the decoder layer that is averaged, counted from 1; `None`: the alignment head.
    """

    def __init__(self, artifact: ModelArtifact, device: torch.device, *, layer: int | None) -> None:
        """
        Args:
            layer: of the decoder, whose heads are averaged. `None`: the alignment head; of a model
                that has none, the last layer but one, the best of the paper's (section 6.1).

        Raises:
            InputError: the decoder has no such layer, or no head of it attends to words.
        """
        self.artifact = artifact
        self.device = device
        layers = artifact.model.decoder.num_attending
        if layer is not None and not 1 <= layer <= layers:
            raise InputError(f"layer: expected 1 to {layers}, got {layer}", path=artifact.folder)
        if layer is None and artifact.model.alignment_head is None:
            layer = max(1, layers - 1)
        if layer is not None and not artifact.model.decoder.sees_words:
            raise InputError(
                "expected a model whose cross-attention sees words, not longer n-grams alone",
                path=artifact.folder,
            )
        self.layer = layer
        artifact.model.to(device).eval()

    @classmethod
    def load(
        cls, folder: Path, *, layer: int | None = None, accelerator: Accelerator = "auto"
    ) -> Aligner:
        """Open a model artifact; arguments and errors as of the constructor and `load_model`."""
        device = choose_device(accelerator)
        return cls(load_model(folder), device, layer=layer)

    def align_split(
        self, dataset: Dataset, split: str, *, batch_tokens: int
    ) -> Iterator[Alignment]:
        """The alignment of every row of a split, in its order, with progress on stderr.

        Raises:
            InputError: the dataset is not one for this model, or has no such split.
        """
        self.artifact.check_dataset(dataset)
        total = dataset.num_rows(split)
        batches = in_windows(
            dataset.read(split),
            EVALUATION_WINDOW,
            lambda _, window: self._batches(window, batch_tokens),
        )
        yield from in_order(
            progress(batches, f"align {split}", total=total, unit="pairs", size=len)
        )

    def align_rows(self, rows: Sequence[Row], *, batch_tokens: int) -> list[Alignment]:
        """The alignment of every row, in their order; no links where a side is empty."""
        return list(in_order(self._batches(rows, batch_tokens)))

    def _batches(
        self, rows: Sequence[Row], batch_tokens: int
    ) -> Iterator[list[tuple[int, Alignment]]]:
        """Alignments and their rows' places in `rows`, batch by batch."""
        for row in rows:
            _check_words(row)
        filled = np.array([bool(len(row.source) and len(row.target)) for row in rows], dtype=bool)
        yield [(place, _nothing(rows[place])) for place in (~filled).nonzero()[0].tolist()]
        places = filled.nonzero()[0]
        chosen = [rows[place] for place in places.tolist()]
        columns = RowColumns.of(chosen)
        lengths = np.stack([columns.source.lengths, columns.target.lengths], axis=1)
        model = self.artifact.model
        for members in bucketed(lengths, np.arange(len(chosen)), batch_tokens):
            batch = pad_columns(
                columns.take(members), model.granularities, ngram_unit=model.ngram_unit
            )
            matrices = self._matrices(batch.to(self.device)).float().cpu().numpy()
            yield [
                (place, _alignment(rows[place], matrix))
                for place, matrix in zip(places[members].tolist(), matrices, strict=True)
            ]

    @torch.inference_mode()
    def _matrices(self, batch: Batch) -> Tensor:
        """(B, T, S), end of sentence and padding included."""
        model = self.artifact.model
        if self.layer is None:
            return model.align(batch).exp()
        return layer_average(model.cross_weights(batch, self.layer))


def _check_words(row: Row) -> None:
    """Check that a row says which subwords make a word.

    Raises:
        InputError: it doesn't, of one of its sides.
    """
    sides = {
        "source": (row.source, row.subwords_per_word),
        "target": (row.target, row.target_subwords_per_word),
    }
    for side, (subwords, counts) in sides.items():
        if sum(counts) != len(subwords) or min(counts, default=1) < 1:
            raise InputError(
                f"row {row.index}: expected subwords per word of the {side} that add up to "
                f"{len(subwords)}, got {list(counts)}"
            )


def _alignment(row: Row, matrix: np.ndarray) -> Alignment:
    T, S = len(row.target), len(row.source)
    return Alignment(matrix[:T, :S].copy(), row.subwords_per_word, row.target_subwords_per_word)


def _nothing(row: Row) -> Alignment:
    empty = np.zeros((len(row.target), len(row.source)), dtype=np.float32)
    return Alignment(empty, row.subwords_per_word, row.target_subwords_per_word)
