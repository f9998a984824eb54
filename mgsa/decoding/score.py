"""A model artifact as an object that scores given pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import torch

from mgsa.base.settings import Accelerator
from mgsa.data.batch import Row, make_batch
from mgsa.decoding.batches import in_batches
from mgsa.decoding.translate import choose_device
from mgsa.model_artifact import ModelArtifact, load_model


class Scorer:
    """Natural log p(target | source) of pairs, by the model `artifact`, moved to `device`."""

    def __init__(self, artifact: ModelArtifact, device: torch.device) -> None:
        self.artifact = artifact
        self.device = device
        artifact.model.to(device).eval()

    @classmethod
    def load(cls, folder: Path, *, accelerator: Accelerator = "auto") -> Scorer:
        """Open a model artifact; errors as of `load_model`."""
        device = choose_device(accelerator)
        return cls(load_model(folder), device)

    def score_rows(
        self,
        rows: Iterable[Row],
        *,
        batch_tokens: int,
        advance: Callable[[int], None] = lambda _: None,
    ) -> Iterator[float]:
        """The log probability of each row's target and end of sentence.

        An empty target is end of sentence alone. An empty source is translated as an empty target
        with certainty (`Translator`), so that target has 0, any other −inf. `advance` is called
        with numbers of finished rows.
        """
        return in_batches(
            rows,
            self._score,
            lambda row: -math.inf if len(row.target) else 0.0,
            batch_tokens=batch_tokens,
            pairs=True,
            advance=advance,
        )

    @torch.inference_mode()
    def _score(self, rows: Sequence[Row]) -> list[float]:
        model = self.artifact.model
        batch = make_batch(rows, model.granularities, ngram_unit=model.ngram_unit)
        return model.score(batch.to(self.device)).tolist()
