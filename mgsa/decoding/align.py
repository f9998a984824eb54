"""A model artifact as an object that aligns given pairs (forced alignment)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import tee
from pathlib import Path

import numpy as np
import torch

from mgsa.base.errors import InputError
from mgsa.base.settings import Accelerator
from mgsa.base.word_links import Link, strongest, word_links, word_matrix
from mgsa.data.batch import Row, make_batch
from mgsa.decoding.batches import in_batches
from mgsa.decoding.translate import Translation, choose_device
from mgsa.model.joint_alignment import layer_average
from mgsa.model_artifact import ModelArtifact, load_model


@dataclass(frozen=True)
class Alignment:
    """A soft alignment of a pair.

    Attributes:
        matrix: (T, S) without end of sentence; rows add up to 1 less its share.
        source_words, target_words: number of subwords of each word.
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
        """(target words, source words): the matrix summed to words."""
        return word_matrix(
            self.matrix, source_words=self.source_words, target_words=self.target_words
        )


class Aligner:
    """Aligns pairs by a model's alignment head, or by the average of a layer's heads.

    Attributes:
        artifact: the model, on `device`.
        layer: the decoder layer that is averaged, counted from 1; `None`: the alignment head.
    """

    def __init__(self, artifact: ModelArtifact, device: torch.device, *, layer: int | None) -> None:
        """Align by the average of `layer`.

        `None`: the alignment head or, in a model without, the penultimate layer (best in Garg et
        al. 2019, section 6.1). An `InputError` is raised if the decoder lacks it, or no head of it
        attends to words.
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

    def align_rows(
        self,
        rows: Iterable[Row],
        *,
        batch_tokens: int,
        advance: Callable[[int], None] = lambda _: None,
    ) -> Iterator[Alignment]:
        """The alignments of rows; `advance` is called with numbers of finished rows."""
        return in_batches(
            rows,
            self._align,
            lambda row: _alignment(row, np.zeros((len(row.target), len(row.source)), np.float32)),
            batch_tokens=batch_tokens,
            pairs=True,
            advance=advance,
        )

    @torch.inference_mode()
    def _align(self, rows: Sequence[Row]) -> list[Alignment]:
        model = self.artifact.model
        batch = make_batch(rows, model.granularities, ngram_unit=model.ngram_unit)
        batch = batch.to(self.device)
        if self.layer is None:
            weights = model.align(batch).exp()
        else:
            weights = layer_average(model.cross_weights(batch, self.layer))
        pairs = zip(rows, weights.float().cpu().numpy(), strict=True)
        return [_alignment(row, matrix) for row, matrix in pairs]

    def align_translations(
        self, translations: Iterable[Translation], rows: Iterable[Row], *, batch_tokens: int
    ) -> Iterator[Translation]:
        """The translations of rows with links to their source, in every candidate."""
        vocabulary = self.artifact.vocabularies[1]
        translated, aligned = tee(zip(rows, translations, strict=True))
        candidates = (
            row.with_target(candidate.subwords, vocabulary)
            for row, translation in aligned
            for candidate in translation.n_best
        )
        alignments = self.align_rows(candidates, batch_tokens=batch_tokens)
        for _, translation in translated:
            n_best = [replace(c, links=tuple(next(alignments).links)) for c in translation.n_best]
            yield replace(translation, n_best=tuple(n_best))


def _alignment(row: Row, matrix: np.ndarray) -> Alignment:
    """The alignment of a row from a batch's matrix, with padding and end of sentence."""
    T, S = len(row.target), len(row.source)
    return Alignment(matrix[:T, :S].copy(), row.subwords_per_word, row.target_subwords_per_word)
