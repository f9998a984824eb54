"""The whole model: batches in, logits out; or, for search, one target word at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from mgsa.attention.memory import Cache
from mgsa.data.batch import Batch
from mgsa.data.vocabulary import PAD
from mgsa.masks import Context, Phrases, padding_mask
from mgsa.model.joint_alignment import AlignmentHead, HeadAlignment
from mgsa.model.layers import Embedding
from mgsa.model.recurrent import RecurrentDecoder, RecurrentEncoder
from mgsa.model.transformer import Decoder, Encoder

Weights = dict[str, Tensor]
"""A layer's attention weights, by the name of what it attends to: (B, heads, T, positions)."""

CAUSAL = Context(mask=None, causal=True)
"""Of target positions, none of which sees padding before the end of its sentence."""


@dataclass(frozen=True)
class EncoderOutput:
    """The source as the encoder sees it.

    Attributes:
        states: (B, S, D).
        mask: (B, 1, 1, S) which positions are no padding.
        tag_logits: for each supervised granularity, (B, M, number of tags). That of the lowest
            layer that predicts tags goes by the granularity's name, `syntactic_1`; that of a layer
            above it by name and layer, `syntactic_1@3`.
        weights: if asked for, of each layer that attends to something.
        layers: (B, S, D) the output of each layer, before a last norm.
    """

    states: Tensor
    mask: Tensor
    tag_logits: dict[str, Tensor] = field(default_factory=dict)
    weights: tuple[Weights, ...] = ()
    layers: tuple[Tensor, ...] = ()


@dataclass(frozen=True)
class ModelOutput:
    """What training and scoring of a batch need.

    Attributes:
        logits: (B, T, V) of the next target word.
        tag_logits: as `EncoderOutput` has them.
        encoder_weights: if asked for, of each encoder layer that attends to something.
        decoder_weights, cross_weights: if asked for, of each decoder layer's attention to the
            target and to the source.
        alignment: if asked for, that of the alignment head.
    """

    logits: Tensor
    tag_logits: dict[str, Tensor] = field(default_factory=dict)
    encoder_weights: tuple[Weights, ...] = ()
    decoder_weights: tuple[Weights, ...] = ()
    cross_weights: tuple[Weights, ...] = ()
    alignment: HeadAlignment | None = None


@dataclass(frozen=True)
class DecoderState:
    """Target sentences decoded so far, one a row; rows of a source sentence stand together.

    Attributes:
        position: how many target positions there are.
        rows: how many target sentences.
        cache: what the decoder keeps of them.
        memories: each decoder layer's, of the source sentences; as many rows for each.
        need_weights: whether steps give attention weights.
        weights: if asked for, those of the last step, of each layer: (rows, H, 1, S).
    """

    position: int
    rows: int
    cache: Cache
    memories: Sequence[Any]
    need_weights: bool
    weights: tuple[Weights, ...] = ()

    def reorder(self, index: Tensor) -> DecoderState:
        """The state of the rows `index`, (rows',): chosen, repeated, or left out.

        It costs least when every source sentence that stays keeps as many rows as the others,
        sentence by sentence: the source's keys and values are then shared by them, and copied only
        when a sentence goes. Weights of the last step are not kept.
        """
        sentences = self.memories[0].num_sentences
        sentence = index // (self.rows // sentences)
        kept, counts = torch.unique_consecutive(sentence, return_counts=True)
        if counts.numel() and bool((counts != counts[0]).any()):
            kept = sentence  # no common number of rows: every row gets a memory of its own
        memories = self.memories
        if not torch.equal(kept, torch.arange(sentences, device=index.device)):
            memories = [memory.select(kept) for memory in memories]
        cache = self.cache.reorder(index)
        return replace(self, rows=len(index), cache=cache, memories=memories, weights=())


class EncoderDecoder(nn.Module):
    """A translation model: p(target | source), word by word.

    Attributes:
        granularities: the partitions of the source that the model needs in its batches.
        ngram_unit: what their n-grams count, `subword` or `word`.
        alignment_head: the head that learns word alignments, if there is one.
    """

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
        self.granularities = granularities
        self.ngram_unit = ngram_unit
        self.alignment_head = alignment_head

    def forward(
        self, batch: Batch, *, need_weights: bool = False, need_alignment: bool = False
    ) -> ModelOutput:
        """Logits of every target position given those before it."""
        encoded = self.encode(batch, need_weights=need_weights)
        output = self.decode(
            encoded, batch.target_input, need_weights=need_weights, need_alignment=need_alignment
        )
        return replace(output, tag_logits=encoded.tag_logits, encoder_weights=encoded.weights)

    def encode(self, batch: Batch, *, need_weights: bool = False) -> EncoderOutput:
        """The batch's source side as the encoder sees it."""
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
        weights = tuple(layer.weights for layer in layers if layer.weights)
        outputs = tuple(layer.output for layer in layers)
        return EncoderOutput(states, mask, tag_logits, weights, outputs)

    def decode(
        self,
        encoded: EncoderOutput,
        target_input: Tensor,
        *,
        need_weights: bool = False,
        need_alignment: bool = False,
    ) -> ModelOutput:
        """All target positions at once: `target_input` (B, T), begin of sentence first."""
        head = self.alignment_head if need_alignment else None
        aligned_layer = head.layer if head and not head.full_context else None
        x, memories = self._decoder_input(encoded, target_input)
        states, layers = self.decoder(
            x, CAUSAL, memories, need_weights=need_weights, aligned_layer=aligned_layer
        )
        alignment = None
        if aligned_layer:
            alignment = HeadAlignment(layers[aligned_layer - 1].alignment, None)
        elif head:
            alignment = self._second_pass(head, x, target_input, memories)
        return ModelOutput(
            self.output(states),
            decoder_weights=tuple(layer.self_weights for layer in layers if layer.self_weights),
            cross_weights=tuple(layer.cross_weights for layer in layers) if need_weights else (),
            alignment=alignment,
        )

    def _decoder_input(
        self, encoded: EncoderOutput, target_input: Tensor
    ) -> tuple[Tensor, Sequence[Any]]:
        """Embedded targets (B, T, D), and each layer's keys and values of the source."""
        memories = self.decoder.memories(encoded.states, encoded.mask)
        return self.target_embedding(target_input), memories

    def _second_pass(
        self, head: AlignmentHead, x: Tensor, target_input: Tensor, memories: Sequence[Any]
    ) -> HeadAlignment:
        """The alignment with full context, of embedded targets x (B, T, D)."""
        drawn = head.draw(len(x), x.device) if self.training else None
        places = None
        if drawn is not None:
            places = torch.full((len(x),), -1, device=x.device)
            places[drawn] = torch.arange(len(drawn), device=x.device)
            x, target_input = x[drawn], target_input[drawn]
            memories = [memory.select(drawn) for memory in memories[: head.layer]]
        return HeadAlignment(self._log_weights(head, x, target_input, memories), places)

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
        return layers[-1].alignment

    def align(self, batch: Batch) -> Tensor:
        """(B, T, S) the head's log weights of all sentences, without predicting words."""
        head = self.alignment_head
        assert head is not None, "a model with an alignment head"
        x, memories = self._decoder_input(self.encode(batch), batch.target_input)
        return self._log_weights(head, x, batch.target_input, memories)

    def cross_weights(self, batch: Batch, layer: int) -> Weights:
        """The weights with which a decoder layer, counted from 1, attends to the source."""
        x, memories = self._decoder_input(self.encode(batch), batch.target_input)
        _, layers = self.decoder(x, CAUSAL, memories[:layer], need_weights=True)
        return layers[-1].cross_weights

    def start(self, encoded: EncoderOutput, *, need_weights: bool = False) -> DecoderState:
        """The state before the first step: a row for each source sentence."""
        memories = self.decoder.memories(encoded.states, encoded.mask)
        return DecoderState(0, len(encoded.states), Cache(), memories, need_weights)

    def step(self, state: DecoderState, tokens: Tensor) -> tuple[Tensor, DecoderState]:
        """The next word's log probabilities once `tokens` are said.

        The state given is used up: its caches are written to.

        Args:
            tokens: (rows,) the last word of each row; begin of sentence at first.

        Returns:
            (rows, V) log probabilities in float32 (float64 of a float64 model), the new state.
        """
        x = self.target_embedding(tokens[:, None], start=state.position)
        states, layers = self.decoder(
            x,
            Context(mask=None),  # there is nothing after x to be hidden
            state.memories,
            cache=state.cache,
            need_weights=state.need_weights,
        )
        logits = self.output(states[:, 0])
        weights = tuple(layer.cross_weights for layer in layers) if state.need_weights else ()
        wide = torch.float64 if logits.dtype == torch.float64 else torch.float32
        return (
            F.log_softmax(logits, dim=-1, dtype=wide),
            replace(state, position=state.position + 1, weights=weights),
        )
