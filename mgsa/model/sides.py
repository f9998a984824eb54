"""What an encoder-decoder asks of its two sides, whatever they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self

from torch import Tensor

from mgsa.attention.heads import Attended
from mgsa.masks import Context
from mgsa.model.transformer import Cache, DecoderAttended


class SourceMemory(Protocol):
    """What a layer of the decoder knows of the source sentences."""

    @property
    def num_sentences(self) -> int:
        """B."""

    def select(self, index: Tensor) -> Self:
        """The memory of the sentences `index`, (B',)."""


class EncoderSide(Protocol):
    """Reads the source."""

    def __call__(
        self, x: Tensor, context: Context, *, need_weights: bool = False
    ) -> tuple[Tensor, Sequence[Attended]]:
        """x (B, S, D) to (B, S, D), and what each layer gave."""


class DecoderSide(Protocol):
    """Reads the target up to a position, and says what comes next."""

    @property
    def num_attending(self) -> int:
        """How many layers attend to the source."""

    @property
    def sees_words(self) -> bool:
        """Whether heads of each of them attend to words."""

    def __call__(
        self,
        x: Tensor,
        context: Context,
        memories: Any,
        *,
        need_weights: bool = False,
        aligned_layer: int | None = None,
    ) -> tuple[Tensor, Sequence[DecoderAttended]]:
        """x (B, T, D) to (B, T, D), and what each layer that attends to the source gave.

        `aligned_layer`, counted from 1, gives its alignment too.
        """

    def align(self, x: Tensor, context: Context, memories: Any, aligned_layer: int) -> Tensor:
        """x (B, T, D) to (B, T, S): the alignment of a layer, and no more work than it takes."""

    def cross_weights(
        self, x: Tensor, context: Context, memories: Any, number: int
    ) -> dict[str, Tensor]:
        """The weights with which a layer, counted from 1, attends to the source."""

    def memories(self, states: Tensor, mask: Tensor) -> Sequence[SourceMemory]:
        """What each layer knows of the encoder's output (B, S, D), mask (B, 1, 1, S)."""

    def start(self, *, max_length: int) -> Sequence[Cache]:
        """Each layer's cache before the first of at most `max_length` positions."""

    def step(
        self, x: Tensor, caches: Any, memories: Any, *, need_weights: bool = False
    ) -> tuple[Tensor, Sequence[DecoderAttended]]:
        """The next position x (rows, 1, D), which joins the caches, to (rows, 1, D)."""
