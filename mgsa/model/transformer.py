"""The Transformer's encoder and decoder (Vaswani et al. 2017, section 3.1), attention given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from torch import Tensor, nn

from mgsa.attention.heads import Attended
from mgsa.attention.memory import Memories
from mgsa.masks import Context
from mgsa.model.sublayers import Residual


class Cache(Protocol):
    """What an attention keeps of the positions decoded so far."""

    def reorder(self, index: Tensor) -> Self:
        """The cache of the rows `index`, (rows',)."""


class SelfAttention(Protocol):
    """Attention of a sentence to itself; in an encoder `start` and `step` are never asked for."""

    def __call__(self, x: Tensor, context: Context, *, need_weights: bool = False) -> Attended:
        """x (B, T, D) to (B, T, D)."""

    def start(self, *, max_length: int) -> Cache:
        """The cache before the first position."""

    def step(self, x: Tensor, cache: Any) -> Tensor:
        """The next position x (rows, 1, D), which joins the cache, to (rows, 1, D)."""


class CrossAttention(Protocol):
    """Attention of the target to the source."""

    @property
    def sees_words(self) -> bool:
        """Whether weights are of words too, not of longer n-grams alone."""

    def __call__(self, x: Tensor, memory: Memories, *, need_weights: bool = False) -> Attended:
        """x (B, T, D) to (B, T, D)."""

    def memory(self, states: Tensor, mask: Tensor) -> Memories:
        """The encoder's output (B, S, D) and its mask (B, 1, 1, S) as keys and values."""

    def alignment(self, x: Tensor, memory: Memories) -> Tensor:
        """x (B, T, D) to (B, T, S): the logarithm of the weights of a head that sees words."""

    def start(self) -> Cache:
        """The cache before the first position."""

    def step(
        self, x: Tensor, cache: Any, memory: Memories, *, need_weights: bool = False
    ) -> Attended:
        """The next position x (rows, 1, D), rows of a sentence together, to (rows, 1, D)."""


@dataclass(frozen=True)
class LayerCache:
    """What the two attentions of a decoder layer keep."""

    self_attention: Cache
    cross_attention: Cache

    def reorder(self, index: Tensor) -> LayerCache:
        """The cache of the rows `index`, (rows',)."""
        return LayerCache(self.self_attention.reorder(index), self.cross_attention.reorder(index))


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward network."""

    def __init__(
        self,
        self_attention: Callable[..., Attended],
        feed_forward: nn.Module,
        *,
        dim: int,
        dropout: float,
        pre_norm: bool,
    ) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.self_attention_residual = Residual(dim, dropout=dropout, pre=pre_norm)
        self.feed_forward = feed_forward
        self.feed_forward_residual = Residual(dim, dropout=dropout, pre=pre_norm)

    def forward(self, x: Tensor, context: Context, *, need_weights: bool) -> Attended:
        """x (B, S, D) to (B, S, D), with what self-attention gave besides."""
        around = self.self_attention_residual
        attended = self.self_attention(around.before(x), context, need_weights=need_weights)
        x = around.after(x, attended.output)
        around = self.feed_forward_residual
        x = around.after(x, self.feed_forward(around.before(x)))
        return Attended(x, attended.weights, attended.tag_logits)


class Encoder(nn.Module):
    """A stack of layers; with pre-norm, a last norm above them."""

    def __init__(self, layers: Iterable[EncoderLayer], final_norm: nn.Module) -> None:
        super().__init__()
        self.layers: Sequence[EncoderLayer] = nn.ModuleList(layers)  # type: ignore[assignment]
        self.final_norm = final_norm

    def forward(
        self, x: Tensor, context: Context, *, need_weights: bool = False
    ) -> tuple[Tensor, list[Attended]]:
        """x (B, S, D) to (B, S, D), and what each layer gave."""
        layers = []
        for layer in self.layers:
            layers.append(layer(x, context, need_weights=need_weights))
            x = layers[-1].output
        return self.final_norm(x), layers


@dataclass(frozen=True)
class DecoderAttended:
    """What a decoder layer gives.

    Attributes:
        output: (B, T, D).
        self_weights, cross_weights: of its attentions, if asked for, as `Attended` has them; a
            step has those of cross-attention alone.
        alignment: if asked for, (B, T, S) the logarithm of one head's weights of the source.
    """

    output: Tensor
    self_weights: dict[str, Tensor] = field(default_factory=dict)
    cross_weights: dict[str, Tensor] = field(default_factory=dict)
    alignment: Tensor | None = None


class DecoderLayer(nn.Module):
    """Self-attention, cross-attention, then a feed-forward network."""

    def __init__(
        self,
        self_attention: SelfAttention,
        cross_attention: CrossAttention,
        feed_forward: nn.Module,
        *,
        dim: int,
        dropout: float,
        pre_norm: bool,
    ) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.self_attention_residual = Residual(dim, dropout=dropout, pre=pre_norm)
        self.cross_attention = cross_attention
        self.cross_attention_residual = Residual(dim, dropout=dropout, pre=pre_norm)
        self.feed_forward = feed_forward
        self.feed_forward_residual = Residual(dim, dropout=dropout, pre=pre_norm)

    def forward(
        self,
        x: Tensor,
        context: Context,
        memory: Memories,
        *,
        need_weights: bool,
        need_alignment: bool,
    ) -> DecoderAttended:
        """x (B, T, D) to (B, T, D), with the weights of both attentions if asked for."""
        around = self.self_attention_residual
        attended = self.self_attention(around.before(x), context, need_weights=need_weights)
        x = around.after(x, attended.output)
        around = self.cross_attention_residual
        asking = around.before(x)
        crossed = self.cross_attention(asking, memory, need_weights=need_weights)
        alignment = self.cross_attention.alignment(asking, memory) if need_alignment else None
        output = self._feed_forward(around.after(x, crossed.output))
        return DecoderAttended(output, attended.weights, crossed.weights, alignment)

    def align(self, x: Tensor, context: Context, memory: Memories) -> Tensor:
        """x (B, T, D) to (B, T, S), `DecoderAttended.alignment` without what comes after it."""
        around = self.self_attention_residual
        x = around.after(x, self.self_attention(around.before(x), context).output)
        return self.cross_attention.alignment(self.cross_attention_residual.before(x), memory)

    def start(self, *, max_length: int) -> LayerCache:
        """The cache before the first of at most `max_length` positions."""
        return LayerCache(
            self.self_attention.start(max_length=max_length), self.cross_attention.start()
        )

    def step(
        self, x: Tensor, cache: LayerCache, memory: Memories, *, need_weights: bool
    ) -> DecoderAttended:
        """One position x (rows, 1, D) to (rows, 1, D); it joins the cache."""
        around = self.self_attention_residual
        x = around.after(x, self.self_attention.step(around.before(x), cache.self_attention))
        around = self.cross_attention_residual
        crossed = self.cross_attention.step(
            around.before(x), cache.cross_attention, memory, need_weights=need_weights
        )
        output = self._feed_forward(around.after(x, crossed.output))
        return DecoderAttended(output, cross_weights=crossed.weights)

    def _feed_forward(self, x: Tensor) -> Tensor:
        around = self.feed_forward_residual
        return around.after(x, self.feed_forward(around.before(x)))


class Decoder(nn.Module):
    """A stack of layers; with pre-norm, a last norm above them."""

    def __init__(self, layers: Iterable[DecoderLayer], final_norm: nn.Module) -> None:
        super().__init__()
        self.layers: Sequence[DecoderLayer] = nn.ModuleList(layers)  # type: ignore[assignment]
        self.final_norm = final_norm

    @property
    def num_attending(self) -> int:
        """How many layers attend to the source: all."""
        return len(self.layers)

    @property
    def sees_words(self) -> bool:
        """Whether heads of every layer attend to words of the source."""
        return all(layer.cross_attention.sees_words for layer in self.layers)

    def memories(self, states: Tensor, mask: Tensor) -> list[Memories]:
        """What each layer attends to of the encoder's output (B, S, D), mask (B, 1, 1, S)."""
        return [layer.cross_attention.memory(states, mask) for layer in self.layers]

    def forward(
        self,
        x: Tensor,
        context: Context,
        memories: Sequence[Memories],
        *,
        need_weights: bool = False,
        aligned_layer: int | None = None,
    ) -> tuple[Tensor, list[DecoderAttended]]:
        """x (B, T, D) to (B, T, D), and what each layer gave.

        `aligned_layer`, counted from 1, gives its alignment too.
        """
        layers = []
        for number, (layer, memory) in enumerate(zip(self.layers, memories, strict=True), start=1):
            layers.append(
                layer(
                    x,
                    context,
                    memory,
                    need_weights=need_weights,
                    need_alignment=number == aligned_layer,
                )
            )
            x = layers[-1].output
        return self.final_norm(x), layers

    def align(
        self, x: Tensor, context: Context, memories: Sequence[Memories], aligned_layer: int
    ) -> Tensor:
        """x (B, T, D) to (B, T, S): the alignment of a layer, and no more work than it takes."""
        x = self._below(aligned_layer, x, context, memories)
        return self.layers[aligned_layer - 1].align(x, context, memories[aligned_layer - 1])

    def cross_weights(
        self, x: Tensor, context: Context, memories: Sequence[Memories], number: int
    ) -> dict[str, Tensor]:
        """The weights of cross-attention of a layer, and no more work than they take."""
        x = self._below(number, x, context, memories)
        layer, memory = self.layers[number - 1], memories[number - 1]
        return layer(x, context, memory, need_weights=True, need_alignment=False).cross_weights

    def _below(
        self, number: int, x: Tensor, context: Context, memories: Sequence[Memories]
    ) -> Tensor:
        """What a layer is given: x (B, T, D) through those below it."""
        for layer, memory in zip(self.layers[: number - 1], memories, strict=False):
            x = layer(x, context, memory, need_weights=False, need_alignment=False).output
        return x

    def start(self, *, max_length: int) -> list[LayerCache]:
        """Each layer's cache before the first of at most `max_length` positions."""
        return [layer.start(max_length=max_length) for layer in self.layers]

    def step(
        self,
        x: Tensor,
        caches: Sequence[LayerCache],
        memories: Sequence[Memories],
        *,
        need_weights: bool = False,
    ) -> tuple[Tensor, list[DecoderAttended]]:
        """The next position x (rows, 1, D) to (rows, 1, D), and what each layer gave."""
        layers = []
        for layer, cache, memory in zip(self.layers, caches, memories, strict=True):
            layers.append(layer.step(x, cache, memory, need_weights=need_weights))
            x = layers[-1].output
        return self.final_norm(x), layers
