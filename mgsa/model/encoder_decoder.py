"""The whole model: batches in, logits out; or, in search, one target word at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn

from mgsa.attention.memory import Cache
from mgsa.data.batch import Batch
from mgsa.data.vocabulary import PAD
from mgsa.masks import Context, Phrases, padding_mask
from mgsa.model.joint_alignment import AlignmentHead, HeadAlignment
from mgsa.model.layers import Embedding
from mgsa.model.recurrent import RecurrentDecoder, RecurrentEncoder
from mgsa.model.transformer import Decoder, Encoder

Weights = dict[str, Tensor]
"""A layer's attention weights, by what is attended to: (B, heads, T, positions)."""

CAUSAL = Context(mask=None, causal=True)
"""For the target side, whose padding is on the right and so hidden by causality."""


@dataclass(frozen=True)
class EncoderOutput:
    """The encoded source."""

    states: Tensor  #: (B, S, D); both directions of a recurrent encoder, (B, S, 2D).
    mask: Tensor  #: (B, 1, 1, S) positions without padding.
    #: (B, M, number of tags) by granularity: `syntactic_1` for the lowest layer that predicts tags,
    #: `syntactic_1@3` for layer 3 above it.
    tag_logits: dict[str, Tensor] = field(default_factory=dict)
    gate_logits: tuple[Tensor, ...] = ()  #: (B,) of each gate of phrases.
    weights: tuple[Weights, ...] = ()  #: if asked for, of each layer with attention.
    #: the output of each layer, before a final norm, as wide as `states`.
    layers: tuple[Tensor, ...] = ()


@dataclass(frozen=True)
class ModelOutput:
    """The output for training and scoring."""

    states: Tensor  #: (B, T, D) of the decoder.
    output: nn.Linear  #: the map of states to logits of the next target word.
    tag_logits: dict[str, Tensor] = field(default_factory=dict)  #: as in `EncoderOutput`.
    gate_logits: tuple[Tensor, ...] = ()  #: as in `EncoderOutput`.
    #: if asked for, of each layer's attention to the source, to the target, and from the target to
    #: the source.
    encoder_weights: tuple[Weights, ...] = ()
    decoder_weights: tuple[Weights, ...] = ()
    cross_weights: tuple[Weights, ...] = ()
    alignment: HeadAlignment | None = None  #: if asked for, of the alignment head.

    @property
    def logits(self) -> Tensor:
        """(B, T, V)."""
        logits: Tensor = self.output(self.states)
        return logits


@dataclass(frozen=True)
class DecoderState:
    """Partial target sentences, one a row; the rows of a source sentence are adjacent."""

    cache: Cache  #: of the decoder's modules.
    #: of each decoder layer, one entry a source sentence, each for equally many rows.
    memories: Sequence[Any]
    need_weights: bool  #: whether steps return attention weights.
    weights: tuple[Weights, ...] = ()  #: if asked for, of the last step, by layer: (rows, H, 1, S).

    def reorder(self, sentences: Tensor | None, parents: Tensor) -> DecoderState:
        """The state of `sentences` (B',), or all, without weights; this one's cache is overwritten.

        Args:
            parents: (B', n') the row of its sentence that each new row goes on from.
        """
        memories = self.memories
        if sentences is not None:
            memories = [memory.select(sentences) for memory in memories]
        self.cache.reorder(sentences, parents)
        return replace(self, memories=memories, weights=())


class EncoderDecoder(nn.Module):
    """A translation model p(target | source)."""

    def __init__(
        self,
        *,
        source_embedding: Embedding,
        encoder: Encoder | RecurrentEncoder,
        target_embedding: Embedding,
        decoder: Decoder | RecurrentDecoder,
        output: nn.Linear,
        granularities: tuple[str, ...],
        ngram_unit: str,
        alignment_head: AlignmentHead | None,
    ) -> None:
        super().__init__()
        self.source_embedding = source_embedding
        self.encoder = encoder
        self.target_embedding = target_embedding
        self.decoder = decoder
        self.output = output
        self.granularities = granularities  #: partitions of the source that batches must have.
        self.ngram_unit = ngram_unit  #: of n-grams, `subword` or `word`.
        self.alignment_head = alignment_head  #: the supervised head, if any.

    def forward(
        self, batch: Batch, *, need_weights: bool = False, need_alignment: bool = False
    ) -> ModelOutput:
        """Logits of every target position given those before it."""
        encoded = self.encode(batch, need_weights=need_weights)
        x, memories = self._decoder_input(encoded, batch.target_input)
        head = self.alignment_head if need_alignment else None
        aligned_layer = head.layer if head and not head.full_context else None
        states, layers = self.decoder(
            x, CAUSAL, memories, need_weights=need_weights, aligned_layer=aligned_layer
        )
        alignment = None
        if aligned_layer:
            alignment = HeadAlignment(layers[aligned_layer - 1].alignment, None)
        elif head:
            alignment = self._second_pass(head, x, batch.target_input, memories)
        return ModelOutput(
            states,
            self.output,
            tag_logits=encoded.tag_logits,
            gate_logits=encoded.gate_logits,
            encoder_weights=encoded.weights,
            decoder_weights=tuple(layer.self_weights for layer in layers if layer.self_weights),
            cross_weights=tuple(layer.cross_weights for layer in layers) if need_weights else (),
            alignment=alignment,
        )

    def encode(self, batch: Batch, *, need_weights: bool = False) -> EncoderOutput:
        """States and memories of the source; attention weights too, if they are needed."""
        mask = padding_mask(batch.source_lengths, batch.source.shape[1])
        phrases = {
            name: Phrases(batch.segments[name], batch.phrase_lengths[name])
            for name in self.granularities
        }
        x = self.source_embedding(batch.source)
        states, layers = self.encoder(x, Context(mask, phrases=phrases), need_weights=need_weights)
        tag_logits: dict[str, Tensor] = {}
        for number, layer in enumerate(layers, start=1):
            for name, logits in layer.tag_logits.items():
                tag_logits[f"{name}@{number}" if name in tag_logits else name] = logits
        gates = tuple(layer.gate_logits for layer in layers if layer.gate_logits is not None)
        weights = tuple(layer.weights for layer in layers if layer.weights)
        outputs = tuple(layer.output for layer in layers)
        return EncoderOutput(states, mask, tag_logits, gates, weights, outputs)

    def _decoder_input(
        self, encoded: EncoderOutput, target_input: Tensor
    ) -> tuple[Tensor, Sequence[Any]]:
        """Embedded targets (B, T, D), and each decoder layer's memory of the source."""
        memories = self.decoder.memories(encoded.states, encoded.mask)
        return self.target_embedding(target_input), memories

    def _second_pass(
        self, head: AlignmentHead, x: Tensor, target_input: Tensor, memories: Sequence[Any]
    ) -> HeadAlignment:
        """The alignment with full context, of embedded targets x (B, T, D)."""
        drawn = head.draw(len(x), x.device) if self.training else None
        rows = None
        if drawn is not None:
            rows = torch.full((len(x),), -1, device=x.device)
            rows[drawn] = torch.arange(len(drawn), device=x.device)
            x, target_input = x[drawn], target_input[drawn]
            memories = [memory.select(drawn) for memory in memories[: head.layer]]
        return HeadAlignment(self._log_weights(head, x, target_input, memories), rows)

    def _log_weights(
        self, head: AlignmentHead, x: Tensor, target_input: Tensor, memories: Sequence[Any]
    ) -> Tensor:
        """(B, T, S) the head's log weights for embedded targets x (B, T, D)."""
        whole = Context(mask=(target_input != PAD)[:, None, None, :])
        _, layers = self.decoder(
            x,
            whole if head.full_context else CAUSAL,
            memories[: head.layer],
            aligned_layer=head.layer,
        )
        log_weights: Tensor = layers[-1].alignment
        return log_weights

    def align(self, batch: Batch) -> Tensor:
        """(B, T, S) log weights of the alignment head, without predicting words."""
        head = self.alignment_head
        assert head is not None, "a model with an alignment head"
        x, memories = self._decoder_input(self.encode(batch), batch.target_input)
        return self._log_weights(head, x, batch.target_input, memories)

    def cross_weights(self, batch: Batch, layer: int) -> Weights:
        """Cross-attention weights of a decoder layer, counted from 1."""
        x, memories = self._decoder_input(self.encode(batch), batch.target_input)
        _, layers = self.decoder(x, CAUSAL, memories[:layer], need_weights=True)
        weights: Weights = layers[-1].cross_weights
        return weights

    @torch.inference_mode()
    def score(self, batch: Batch) -> Tensor:
        """(B,) float64: log p(target | source), summed over the target and end of sentence."""
        x, memories = self._decoder_input(self.encode(batch), batch.target_input)
        states, _ = self.decoder(x, CAUSAL, memories)
        real = batch.target_output != PAD
        log_probs = self._log_probs(states[real])  # (target tokens, V)
        of_target = log_probs.gather(1, batch.target_output[real][:, None])[:, 0].double()
        return of_target.new_zeros(real.shape).masked_scatter(real, of_target).sum(dim=1)

    @torch.inference_mode()
    def start(self, encoded: EncoderOutput, *, need_weights: bool = False) -> DecoderState:
        """The state before the first step, with one row a source sentence."""
        memories = self.decoder.memories(encoded.states, encoded.mask)
        cache = Cache(len(encoded.states), encoded.states.device)
        return DecoderState(cache, memories, need_weights)

    @torch.inference_mode()
    def step(self, state: DecoderState, tokens: Tensor) -> tuple[Tensor, DecoderState]:
        """Log probabilities of the next word, (rows, V), and the new state.

        `tokens` (rows,) are the last words, `BOS` at first. The cache of `state` is overwritten.
        Probabilities are float32, or float64 for a float64 model, without gradients.
        """
        x = self.target_embedding(tokens[:, None], start=state.cache.steps)
        state.cache.begin()
        states, layers = self.decoder(
            x,
            Context(mask=None),  # nothing after x to mask
            state.memories,
            cache=state.cache,
            need_weights=state.need_weights,
        )
        weights = tuple(layer.cross_weights for layer in layers) if state.need_weights else ()
        return self._log_probs(states[:, 0]), replace(state, weights=weights)

    def _log_probs(self, states: Tensor) -> Tensor:
        """States (rows, D) to log probabilities (rows, V), float32 or wider."""
        logits = self.output(states)
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
        return torch.log_softmax(logits, dim=-1, out=logits)  # in place: it is the largest tensor
