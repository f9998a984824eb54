"""What a model gives for a batch."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

from mgsa.model.joint_alignment import HeadAlignment

Weights = dict[str, Tensor]
"""A layer's attention weights, by the name of what it attends to: (B, heads, T, positions)."""


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
        layers: if asked for, (B, S, D) what each layer gave, before a last norm.
    """

    states: Tensor
    mask: Tensor
    tag_logits: dict[str, Tensor] = field(default_factory=dict)
    weights: tuple[Weights, ...] = ()
    layers: tuple[Tensor, ...] = ()


@dataclass(frozen=True)
class ModelOutput:
    """What a batch's training or scoring needs.

    Attributes:
        logits: (B, T, V) of the next target word.
        tag_logits: as `EncoderOutput` has them.
        encoder_weights: if asked for, of each encoder layer that attends to something.
        decoder_weights, cross_weights: if asked for, of each decoder layer's attention to the
            target and to the source.
        alignment: if asked for, that of the alignment head.
    """

    logits: Tensor
    tag_logits: dict[str, Tensor]
    encoder_weights: tuple[Weights, ...] = ()
    decoder_weights: tuple[Weights, ...] = ()
    cross_weights: tuple[Weights, ...] = ()
    alignment: HeadAlignment | None = None


@dataclass(frozen=True)
class DecoderOutput:
    """All target positions at once: (B, T, V) logits, and the rest as `ModelOutput` has it."""

    logits: Tensor
    decoder_weights: tuple[Weights, ...] = ()
    cross_weights: tuple[Weights, ...] = ()
    alignment: HeadAlignment | None = None
