"""The Transformer's encoder and decoder (Vaswani et al. 2017, section 3.1), given attentions."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from torch import Tensor, nn

from mgsa.attention.heads import Attended
from mgsa.attention.memory import Cache, Memories
from mgsa.attention.phrase import PhraseCrossAttention, PhraseSelfAttention
from mgsa.attention.word import WordCrossAttention, WordSelfAttention
from mgsa.boundaries import BoundaryFlags
from mgsa.masks import Context
from mgsa.model.layers import Residual

SelfAttention = WordSelfAttention | PhraseSelfAttention
CrossAttention = WordCrossAttention | PhraseCrossAttention
"""Attentions with a cache, for decoding."""


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward network; before them the flags of phrase boundaries."""

    def __init__(
        self,
        self_attention: nn.Module,
        feed_forward: nn.Module,
        residual: Callable[[], Residual],
        *,
        flags: BoundaryFlags | None = None,
    ) -> None:
        """`self_attention` is `(x, context, need_weights=…)` to `Attended`."""
        super().__init__()
        self.flags = flags
        self.self_attention = self_attention
        self.self_attention_residual = residual()
        self.feed_forward = feed_forward
        self.feed_forward_residual = residual()

    def forward(self, x: Tensor, context: Context, *, need_weights: bool) -> Attended:
        """x (B, S, D) to (B, S, D), with weights and logits of self-attention and flags."""
        gate_logits = None
        if self.flags is not None:
            x, context, gate_logits = self.flags(x, context)
        residual = self.self_attention_residual
        attended = self.self_attention(residual.before(x), context, need_weights=need_weights)
        x = residual.after(x, attended.output)
        x = self.feed_forward_residual(x, self.feed_forward)
        return Attended(x, attended.weights, attended.tag_logits, gate_logits)


class Encoder(nn.Module):
    """A stack of layers, and a final norm (the identity with post-norm)."""

    def __init__(self, layers: Iterable[EncoderLayer], final_norm: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.final_norm = final_norm

    def forward(
        self, x: Tensor, context: Context, *, need_weights: bool = False
    ) -> tuple[Tensor, list[Attended]]:
        """x (B, S, D) to (B, S, D), and each layer's output."""
        layers: list[Attended] = []
        for layer in self.layers:
            layers.append(layer(x, context, need_weights=need_weights))
            x = layers[-1].output
        return self.final_norm(x), layers


@dataclass(frozen=True)
class DecoderAttended:
    """The output of a decoder layer."""

    output: Tensor  #: (B, T, D).
    #: if asked for, as in `Attended`; no self_weights with a cache.
    self_weights: dict[str, Tensor] = field(default_factory=dict)
    cross_weights: dict[str, Tensor] = field(default_factory=dict)
    #: if asked for, (B, T, S) log weights of one head of cross-attention.
    alignment: Tensor | None = None


class DecoderLayer(nn.Module):
    """Self-attention, cross-attention, then a feed-forward network."""

    def __init__(
        self,
        self_attention: SelfAttention,
        cross_attention: CrossAttention,
        feed_forward: nn.Module,
        residual: Callable[[], Residual],
    ) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.self_attention_residual = residual()
        self.cross_attention = cross_attention
        self.cross_attention_residual = residual()
        self.feed_forward = feed_forward
        self.feed_forward_residual = residual()

    def forward(
        self,
        x: Tensor,
        context: Context,
        memory: Memories,
        *,
        cache: Cache | None,
        need_weights: bool,
        need_alignment: bool,
    ) -> DecoderAttended:
        """x (B, T, D) to (B, T, D)."""
        residual = self.self_attention_residual
        attended = self.self_attention(
            residual.before(x), context, cache=cache, need_weights=need_weights and cache is None
        )
        x = residual.after(x, attended.output)
        residual = self.cross_attention_residual
        queries = residual.before(x)
        crossed = self.cross_attention(queries, memory, cache=cache, need_weights=need_weights)
        alignment = self.cross_attention.alignment(queries, memory) if need_alignment else None
        x = residual.after(x, crossed.output)
        x = self.feed_forward_residual(x, self.feed_forward)
        return DecoderAttended(x, attended.weights, crossed.weights, alignment)


class Decoder(nn.Module):
    """A stack of layers, and a final norm (the identity with post-norm)."""

    def __init__(self, layers: Iterable[DecoderLayer], final_norm: nn.Module) -> None:
        super().__init__()
        self.layers: Sequence[DecoderLayer] = nn.ModuleList(layers)  # type: ignore[assignment]
        self.final_norm = final_norm

    @property
    def num_attending(self) -> int:
        """Number of layers that attend to the source."""
        return len(self.layers)

    @property
    def sees_words(self) -> bool:
        """Whether every layer has heads that attend to single words."""
        return all(layer.cross_attention.sees_words for layer in self.layers)

    def memories(self, states: Tensor, mask: Tensor) -> list[Memories]:
        """Each layer's memory of the encoder's output (B, S, D), mask (B, 1, 1, S)."""
        return [layer.cross_attention.memory(states, mask) for layer in self.layers]

    def forward(
        self,
        x: Tensor,
        context: Context,
        memories: Sequence[Memories],
        *,
        cache: Cache | None = None,
        need_weights: bool = False,
        aligned_layer: int | None = None,
    ) -> tuple[Tensor, list[DecoderAttended]]:
        """x (B, T, D) to (B, T, D), and each layer's output.

        Args:
            memories: of all layers, or of the lowest, which alone are then run.
            cache: of the previous positions; x is then one position, and is appended.
            aligned_layer: the layer, counted from 1, that returns its alignment.
        """
        layers: list[DecoderAttended] = []
        for number, (layer, memory) in enumerate(zip(self.layers, memories, strict=False), start=1):
            attended = layer(
                x,
                context,
                memory,
                cache=cache,
                need_weights=need_weights,
                need_alignment=number == aligned_layer,
            )
            layers.append(attended)
            x = attended.output
        return self.final_norm(x), layers
