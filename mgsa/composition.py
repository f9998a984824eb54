"""Composition of phrases (Hao et al. 2019, section 3): g_m = COM(positions of phrase m).

Every composition maps x (B, T, D) and segments (B, T), the phrase of each position (0, 1, … in
contiguous runs; −1 at padding, on the right), to the phrase memory (B, M, D), zeros beyond a
sentence's last phrase.
"""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from mgsa.attention.attend import attend
from mgsa.masks import phrase_mask
from mgsa.operators import Linear, run_lstm


def segment_lengths(segments: Tensor, num_phrases: int | None) -> Tensor:
    """Segments (B, T) to phrase lengths (B, M); M = `None` costs a device synchronisation."""
    if num_phrases is None:
        num_phrases = int(segments.max()) + 1
    # Padding is counted as one more phrase, then dropped.
    index = torch.where(segments < 0, num_phrases, segments)
    counts = segments.new_zeros(len(segments), num_phrases + 1)
    return counts.scatter_add(1, index, torch.ones_like(index))[:, :-1]


class MaxPool(nn.Module):
    """The maximum of each dimension over the phrase; no parameters."""

    def forward(self, x: Tensor, segments: Tensor, *, num_phrases: int | None = None) -> Tensor:
        """x (B, T, D), segments (B, T) to (B, M, D)."""
        return max_pool(x, segment_lengths(segments, num_phrases))


def max_pool(x: Tensor, lengths: Tensor) -> Tensor:
    """x (B, T, D), phrase lengths (B, M) to (B, M, D), zeros where a length is 0."""
    B, T, D = x.shape
    # Padding is one more run of each sentence, so that the runs cover all B·T rows.
    runs = torch.cat([lengths, T - lengths.sum(dim=1, keepdim=True)], dim=1)
    # `unsafe` skips a check that would synchronise the device.
    pooled = torch.segment_reduce(x.reshape(B * T, D), "max", lengths=runs.flatten(), unsafe=True)
    return pooled.view(B, -1, D)[:, :-1].masked_fill((lengths == 0)[..., None], 0.0)


class SelfAttention(nn.Module):
    """Attention inside the phrase, queried by the max-pooled phrase.

    One head of width K and an output projection: 4 · D · K parameters.
    """

    def __init__(self, dim: int, head_dim: int) -> None:
        super().__init__()
        self.query = Linear(dim, head_dim, bias=False)
        self.key_value = Linear(dim, 2 * head_dim, bias=False)  # rows of the key, of the value
        self.output = Linear(head_dim, dim, bias=False)
        for projection in (self.query, self.key_value, self.output):
            nn.init.xavier_uniform_(projection.weight)

    def forward(self, x: Tensor, segments: Tensor, *, num_phrases: int | None = None) -> Tensor:
        """x (B, T, D), segments (B, T) to (B, M, D)."""
        lengths = segment_lengths(segments, num_phrases)
        q = self.query(max_pool(x, lengths))  # (B, M, K)
        k, v = self.key_value(x).chunk(2, dim=-1)  # (B, T, K)
        # M · T logits a sentence are fewer than a head of word attention has, and the fused kernel
        # beats a softmax by scatter and gather.
        composed, _ = attend(
            q[:, None], k[:, None], v[:, None], phrase_mask(segments, lengths.shape[1])
        )
        return self.output(composed[:, 0].masked_fill((lengths == 0)[..., None], 0.0))


class LSTM(nn.Module):
    """The last hidden state of an LSTM over the phrase, projected back."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(dim, hidden, batch_first=True)
        self.output = Linear(hidden, dim)

    def forward(self, x: Tensor, segments: Tensor, *, num_phrases: int | None = None) -> Tensor:
        """x (B, T, D), segments (B, T) to (B, M, D)."""
        B, T, D = x.shape
        lengths = segment_lengths(segments, num_phrases).cpu()  # a device synchronisation
        index, batch_sizes, phrases = _packing(lengths, T)
        index, phrases = (each.to(x.device, non_blocking=True) for each in (index, phrases))
        packed = PackedSequence(x.reshape(B * T, D)[index], batch_sizes)
        _, (hidden, _) = run_lstm(self.lstm, packed)  # (1, P, hidden), in the order of `phrases`
        composed = self.output(hidden[0])
        memory = composed.new_zeros(lengths.numel(), D).index_copy(0, phrases, composed)
        return memory.view(B, -1, D)


def _packing(lengths: Tensor, width: int) -> tuple[Tensor, Tensor, Tensor]:
    """The packed sequence, longest first, of phrases with lengths (B, M), all on the CPU.

    (positions,) its rows of (B · `width`); (longest,) its batch sizes; (P,) its phrases of (B · M).
    """
    starts = lengths.cumsum(dim=1) - lengths
    starts = (starts + width * torch.arange(len(lengths))[:, None]).flatten()
    flat = lengths.flatten()
    order = flat.argsort(descending=True, stable=True)
    phrases = order[: int((flat > 0).sum())]
    positions = torch.arange(int(flat[order[0]]))[:, None]
    reached = positions < flat[phrases]  # (longest, P)
    index = (starts[phrases] + positions)[reached]
    return index, reached.sum(dim=1), phrases
