"""The one mask convention: bool, True = may attend, broadcastable to (B, H, T, S)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor


@dataclass(frozen=True)
class Phrases:
    """A partition of every sentence.

    segments (B, S): the phrase of each position, negative at padding; lengths (B, M) of phrases in
    positions, 0 beyond a sentence's last.
    """

    segments: Tensor
    lengths: Tensor

    @property
    def mask(self) -> Tensor:
        """(B, 1, 1, M): the phrases of each sentence."""
        return (self.lengths > 0)[:, None, None, :]

    @property
    def own(self) -> Tensor:
        """(B, 1, S, M): the phrase that each position is in."""
        return phrase_mask(self.segments, self.lengths.shape[1]).transpose(-2, -1)

    @property
    def first(self) -> Tensor:
        """(B, S): the first position of each phrase."""
        return self.segments.diff(dim=1, prepend=torch.full_like(self.segments[:, :1], -2)) != 0

    @property
    def counts(self) -> Tensor:
        """(B,): number of phrases."""
        return (self.lengths > 0).sum(dim=1)


@dataclass(frozen=True)
class Context:
    """Masks and phrases of a batch, for self-attention."""

    mask: Tensor | None  #: (B, 1, 1, S) the positions without padding; `None`: all.
    causal: bool = False  #: whether a position sees none after it.
    phrases: Mapping[str, Phrases] = field(default_factory=dict)  #: by granularity.
    gate: Tensor | None = None  #: (B, 1, 1) what is taken from phrases, 0 to 1; `None`: all.


def padding_mask(lengths: Tensor, longest: int) -> Tensor:
    """(B,) lengths to (B, 1, 1, `longest`): the positions without padding."""
    positions = torch.arange(longest, device=lengths.device)
    return (positions < lengths[:, None])[:, None, None, :]


def causal_mask(queries: int, keys: int, device: torch.device) -> Tensor:
    """(1, 1, T, S): the last query sees every key, each query before it one less."""
    mask = torch.ones(queries, keys, dtype=torch.bool, device=device)
    return mask.tril(diagonal=keys - queries)[None, None]


def phrase_mask(segments: Tensor, num_phrases: int) -> Tensor:
    """(B, S) segments to (B, 1, M, S): a phrase sees its own positions."""
    phrases = torch.arange(num_phrases, device=segments.device)
    return (segments[:, None, :] == phrases[:, None])[:, None]
