"""A model artifact, or an ensemble, as an object that translates, aligns and scores."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import repeat, tee
from pathlib import Path
from typing import Self

import numpy as np
import torch

from mgsa.artifact.model import ModelArtifact, load_model
from mgsa.attention.attend import pass_cudnn_by
from mgsa.cli.errors import InputError
from mgsa.config import DEFAULT_TRANSLATE_CONFIG, SearchPrecision, TranslateConfig
from mgsa.data.batch import Batch, Row, make_batch
from mgsa.data.dataset import Dataset
from mgsa.data.vocabulary import UNK
from mgsa.decoding.batches import in_batches
from mgsa.decoding.beam import search_batch
from mgsa.decoding.copying import align_candidates
from mgsa.decoding.precision import for_search, search_autocast
from mgsa.decoding.results import NOTHING, Alignment, Translation
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.model.joint_alignment import layer_average
from mgsa.run_config import Accelerator


def choose_device(accelerator: Accelerator) -> torch.device:
    """The device; `auto` is a GPU if there is one, and `gpu` without one is an `InputError`."""
    if accelerator != "cpu" and torch.cuda.is_available():
        pass_cudnn_by()
        return torch.device("cuda")
    if accelerator == "gpu":
        raise InputError("accelerator: expected cpu or auto, as there is no GPU; got gpu")
    return torch.device("cpu")


class OpenedModel:
    """Translates, aligns and scores rows of a dataset; `pipeline.load` is for raw text.

    The models of `artifacts`, moved to `device`, are an ensemble that averages probabilities; an
    `InputError` is raised if they have different vocabularies. Ensembles translate only.
    """

    def __init__(
        self, artifacts: Sequence[ModelArtifact], device: torch.device, workers: int = 1
    ) -> None:
        self.artifacts = tuple(artifacts)
        self.device = device
        self._workers = workers if device.type == "cpu" else 1
        first, *others = self.artifacts
        for other in others:
            first.check_vocabularies(other.vocabularies, other.folder)
        for artifact in self.artifacts:
            artifact.model.to(device).eval()
        self._search_models = cache(
            lambda precision: [for_search(each.model, precision) for each in self.artifacts]
        )

    @classmethod
    def load(
        cls,
        folders: Path | Sequence[Path],
        *,
        accelerator: Accelerator = "auto",
        workers: int = 1,
    ) -> Self:
        """Open one model artifact, or an ensemble; errors as of `load_model` and the class.

        On a CPU its batches are spread over `workers` processes.
        """
        device = choose_device(accelerator)
        folders = [folders] if isinstance(folders, Path) else folders
        return cls([load_model(folder) for folder in folders], device, workers)

    @property
    def levels(self) -> int:
        """Syntactic levels that rows must have."""
        return max(artifact.levels for artifact in self.artifacts)

    def check_dataset(self, dataset: Dataset) -> None:
        """Raise an `InputError` if a dataset's vocabularies or levels are not the models'."""
        for artifact in self.artifacts:
            artifact.check_dataset(dataset)

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

    def translate(
        self,
        rows: Iterable[Row],
        *,
        beam: int = DEFAULT_TRANSLATE_CONFIG.beam,
        n_best: int = 1,
        length_penalty: float = DEFAULT_TRANSLATE_CONFIG.length_penalty,
        max_length_ratio: float = DEFAULT_TRANSLATE_CONFIG.max_length_ratio,
        max_length_extra: int = DEFAULT_TRANSLATE_CONFIG.max_length_extra,
        batch_tokens: int = DEFAULT_TRANSLATE_CONFIG.batch_tokens,
        precision: SearchPrecision = DEFAULT_TRANSLATE_CONFIG.precision,
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
        rows = list(rows)
        for row in rows:
            if not isinstance(row, Row):
                message = f"expected rows, got {row!r}; raw text goes through `pipeline.load`"
                raise InputError(f"{message}, subwords through `rows_of_subwords`")
            if len(row.source) and (levels := len(row.phrase_lengths)) < self.levels:
                message = f"expected rows with {self.levels} levels of phrases, got {levels}"
                raise InputError(message)
        config = replace(
            DEFAULT_TRANSLATE_CONFIG,
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

    def translate_rows(
        self,
        rows: Iterable[Row],
        config: TranslateConfig,
        *,
        n_best: int = 1,
        prefixes: Sequence[Sequence[str]] | None = None,
        words: Iterable[Sequence[str]] | None = None,
        links: bool = False,
        need_weights: bool = False,
        advance: Callable[[int], None] = lambda _: None,
    ) -> Iterator[Translation]:
        """`translate` as a stream; `advance` is called with numbers of translated rows.

        `words` of each source are what `config.copy_unknown` copies, as the first model aligns them
        that can. `links` are those of `align`, of every candidate; an ensemble has none.
        """
        if links or need_weights:
            self._only("links, weights of attention")
        models = self._search_models(config.precision)
        target = self.artifacts[0].vocabularies[1]
        if prefixes is not None:
            prefixed = zip(rows, prefixes, strict=True)
            rows = (row.with_target(prefix, target) for row, prefix in prefixed)
        able = [
            artifact
            for artifact in self.artifacts
            if links or artifact.model.alignment_head or artifact.model.decoder.sees_words
        ]
        words = words if config.copy_unknown and able else None
        rows, sources = tee(rows) if links or words is not None else (rows, ())

        def search(members: Sequence[Row]) -> list[Translation]:
            with search_autocast(self.device, config.precision):
                results = search_batch(
                    models,
                    [self._batch(members, model) for model in models],
                    config,
                    n_best=n_best,
                    prefixes=[row.target for row in members] if prefixes is not None else None,
                    need_weights=need_weights,
                )
            return [
                Translation.of_hypotheses(hypotheses, target, source_length=len(row.source) + 1)
                for hypotheses, row in zip(results, members, strict=True)
            ]

        size = config.batch_tokens
        translations = in_batches(
            rows,
            search,
            lambda _: NOTHING,
            batch_tokens=size,
            pairs=False,
            advance=advance,
            workers=self._workers,
        )
        if not links and words is None:
            return translations
        return align_candidates(
            zip(sources, translations, words or repeat(()), strict=False),
            align=partial(OpenedModel(able[:1], self.device).align, batch_tokens=size),
            target=target,
            of_subwords=self.artifacts[0].of_subwords,
            links=links,
        )

    def align(
        self,
        rows: Iterable[Row],
        *,
        layer: int | None = None,
        batch_tokens: int = DEFAULT_TRANSLATE_CONFIG.batch_tokens,
        advance: Callable[[int], None] = lambda _: None,
    ) -> Iterator[Alignment]:
        """The alignments of pairs, in order; `advance` is called with numbers of aligned pairs.

        Args:
            layer: the decoder layer whose heads are averaged, counted from 1. `None`: the alignment
                head or, in a model without, the penultimate layer (best in Garg et al. 2019,
                section 6.1).
            batch_tokens: subwords of the longer side in a batch, with padding.

        Raises:
            InputError: the decoder lacks the layer, or no head of it attends to words; or the model
                is an ensemble.
        """
        artifact = self._only("alignments")
        model, averaged = artifact.model, _averaged_layer(artifact, layer)

        @torch.inference_mode()
        def align(members: Sequence[Row]) -> list[Alignment]:
            batch = self._batch(members, model)
            if averaged is None:
                weights = model.align(batch).exp()
            else:
                weights = layer_average(model.cross_weights(batch, averaged))
            return list(map(Alignment.of_row, members, weights.float().cpu().numpy()))

        return in_batches(
            rows,
            align,
            lambda row: Alignment.of_row(row, np.zeros((len(row.target), 0), np.float32)),
            batch_tokens=batch_tokens,
            pairs=True,
            advance=advance,
            workers=self._workers,
        )

    def score(
        self,
        rows: Iterable[Row],
        *,
        batch_tokens: int = DEFAULT_TRANSLATE_CONFIG.batch_tokens,
        advance: Callable[[int], None] = lambda _: None,
    ) -> Iterator[float]:
        """Natural log p(target | source) of pairs, end of sentence included; arguments as `align`.

        An empty target is end of sentence alone. An empty source is translated as an empty target
        with certainty, so that target has 0, any other −inf.
        """
        model = self._only("scores").model

        @torch.inference_mode()
        def score(members: Sequence[Row]) -> list[float]:
            return model.score(self._batch(members, model)).tolist()

        return in_batches(
            rows,
            score,
            lambda row: -math.inf if len(row.target) else 0.0,
            batch_tokens=batch_tokens,
            pairs=True,
            advance=advance,
            workers=self._workers,
        )

    def _only(self, what: str) -> ModelArtifact:
        """The one artifact; an `InputError` if there are several, which don't give `what`."""
        if len(self.artifacts) > 1:
            raise InputError(f"{what}: expected one model, got several")
        return self.artifacts[0]

    def _batch(self, rows: Sequence[Row], model: EncoderDecoder) -> Batch:
        batch = make_batch(rows, model.granularities, ngram_unit=model.ngram_unit)
        return batch.to(self.device)


def _averaged_layer(artifact: ModelArtifact, layer: int | None) -> int | None:
    """The decoder layer whose heads are averaged, or `None` for the alignment head; see `align`."""
    model, layers = artifact.model, artifact.model.decoder.num_attending
    if layer is not None and not 1 <= layer <= layers:
        raise InputError(f"layer: expected 1 to {layers}, got {layer}", path=artifact.folder)
    if layer is None and model.alignment_head is None:
        layer = max(1, layers - 1)
    if layer is not None and not model.decoder.sees_words:
        message = "expected a model whose cross-attention sees words, not longer n-grams alone"
        raise InputError(message, path=artifact.folder)
    return layer
