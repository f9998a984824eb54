"""Probed encoders: the frozen one of a trained model, or one trained from scratch."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from mgsa.cli.errors import InputError
from mgsa.config import ModelConfig, MultiGranularityConfig, TransformerConfig
from mgsa.data.vocabulary import SPECIAL_SYMBOLS
from mgsa.model.build import build_model
from mgsa.model.encoder_decoder import EncoderDecoder
from pipeline.probe.examples import Example
from pipeline.probe.settings import ScratchConfig

CACHE_BYTES = 1 << 30
"""Memory for cached states of a frozen encoder."""


class ProbedEncoder:
    """The encoder of a translation model, frozen or learning with its probe.

    States of the last layer are those the decoder attends to. Lower layers of a Transformer are
    layer-normed, as they grow from layer to layer with pre-norm; states of LSTMs lie in (-1, 1).
    """

    def __init__(
        self,
        model: EncoderDecoder,
        config: ModelConfig,
        *,
        layers: Literal["last", "all"] = "last",
        learns: bool = False,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self.model = model.requires_grad_(learns).eval()
        #: width of the states, both directions of LSTMs.
        self.dim = config.dim if config.kind == "transformer" else 2 * config.dim
        count = config.encoder_layers
        #: numbers of the probed layers, from 1.
        self.layers = tuple(range(1, count + 1)) if layers == "all" else (count,)
        sides = ("source_embedding.", "encoder.")
        named = model.named_parameters() if learns else ()
        #: trainable weights of embeddings and encoder.
        self.learned = [weight for name, weight in named if name.startswith(sides)]
        self._scaled = config.kind == "transformer"
        self._room = 0 if learns else cache_bytes
        self._cache: dict[Example, tuple[Sequence[Tensor], Tensor]] = {}

    def states(self, example: Example, *, training: bool) -> tuple[Sequence[Tensor], Tensor]:
        """(B, S, `dim`) of each of `layers`, and the mask (B, 1, 1, S).

        A learning encoder has dropout and gradients in training; states of a frozen one are cached.
        """
        if example in self._cache:
            return self._cache[example]
        training = training and bool(self.learned)
        with torch.set_grad_enabled(training):  # not inference mode: probes need a graph on top
            encoded = self.model.train(training).encode(example.batch)
        below = [encoded.layers[number - 1] for number in self.layers[:-1]]
        if self._scaled:
            below = [F.layer_norm(states, (self.dim,)) for states in below]
        states = [*below, encoded.states]
        size = sum(layer.numel() * layer.element_size() for layer in states)
        if size <= self._room:
            self._room -= size
            self._cache[example] = states, encoded.mask
        return states, encoded.mask


def scratch_encoder(config: TransformerConfig, source_vocabulary: int) -> ProbedEncoder:
    """An encoder with random weights that learns with its probe."""
    model = build_model(
        config,
        source_vocabulary=source_vocabulary,
        target_vocabulary=len(SPECIAL_SYMBOLS),
        num_tags=1,
    )
    return ProbedEncoder(model, config, learns=True)


def scratch_config(
    name: str, models: Iterable[ModelConfig], scratch: ScratchConfig
) -> TransformerConfig:
    """The configuration of an encoder from scratch, with the sizes of the first Transformer.

    Granularities get equal numbers of heads (Hao et al. 2019), words the remainder too. Composition
    is self-attention as wide as a head, without tags. An `InputError` is raised if no model is a
    Transformer, or it has fewer heads than granularities.
    """
    like = next((model for model in models if isinstance(model, TransformerConfig)), None)
    if like is None:
        raise InputError(
            f"probe.encoders: {name} takes the sizes of a Transformer, got no such model"
        )
    granularities: tuple[str, ...] = ()
    if name == "scratch_ngram":
        granularities = tuple(f"ngram_{size}" for size in scratch.ngrams)
    elif name.startswith("scratch_syntactic"):
        granularities = tuple(f"syntactic_{level}" for level in scratch.levels)
    heads = like.heads // (len(granularities) + 1)
    if not heads:
        raise InputError(
            f"probe.encoders: {name} attends to words and {', '.join(granularities)}: expected a "
            f"model with {len(granularities) + 1} heads or more, got {like.heads}"
        )
    words_alone = replace(
        like,
        encoder_layers=scratch.layers,
        decoder_layers=1,
        share_embeddings="none",
        multi_granularity=None,
        phrase_attention=None,
        alignment=None,
    )
    if not granularities:
        return words_alone
    phrases = MultiGranularityConfig(
        layers=scratch.phrase_layers,
        granularities=granularities,
        group_heads=(like.heads - heads * len(granularities), *[heads] * len(granularities)),
        ngram_unit="subword",
        composition="self_attention",
        composition_width=like.dim // like.heads,
        interaction="on_lstm" if name.endswith("on_lstm") else "none",
        interaction_width=scratch.interaction_width,
        interaction_chunk=scratch.interaction_chunk,
        interaction_norm=False,
        membership="none",
        boundaries="none",
        tags=False,
        tag_weight=0.0,
    )
    return replace(words_alone, multi_granularity=phrases)
