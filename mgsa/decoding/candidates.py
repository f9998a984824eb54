"""The best continuations of a beam, in an order that nothing but their scores and ids decides."""

from __future__ import annotations

import torch
from torch import Tensor

BLOCK = 64
"""Neighbours of which only the largest is looked at first; near √V costs least."""


def best_continuations(log_probs: Tensor, scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The `count` best of all continuations of each sentence's hypotheses, best first.

    Equal scores come in the order of hypothesis, then token. `torch.topk` promises no such order
    and reads all the beam times V scores several times; here all but the best blocks are read once.

    Args:
        log_probs: (B · beam, V) float32, of the next token.
        scores: (B, beam) float32, of the hypotheses so far, −inf where there is none.

    Returns:
        (B, count) scores, and (B, count) hypothesis · V + token. Where there are fewer
        continuations, scores are −inf.
    """
    B, beam = scores.shape
    vocabulary = log_probs.shape[1]
    maxima = _block_maxima(log_probs)  # (B · beam, blocks)
    num_blocks = maxima.shape[1]
    maxima = (maxima.view(B, beam, num_blocks) + scores[..., None]).flatten(1)
    # The best elements lie in the best blocks, ties included: as many blocks as are wanted
    # elements hold one each that comes before all elements of the blocks left out. Blocks are
    # put back in order, so that elements of equal score are too.
    blocks = _largest(maxima, min(count, beam * num_blocks)).sort(dim=1).values
    hypotheses = blocks // num_blocks  # (B, blocks)
    within = torch.arange(BLOCK, device=scores.device)
    tokens = (blocks % num_blocks * BLOCK)[..., None] + within  # (B, blocks, BLOCK)
    index = hypotheses[..., None] * vocabulary + tokens.clamp(max=vocabulary - 1)
    index = index.flatten(1)
    values = log_probs.view(B, beam * vocabulary).gather(1, index).view_as(tokens)
    values = values + scores.gather(1, hypotheses)[..., None]
    values = values.masked_fill(tokens >= vocabulary, -torch.inf).flatten(1)
    best = _largest(values, count)
    return values.gather(1, best), index.gather(1, best)


def _block_maxima(log_probs: Tensor) -> Tensor:
    """(rows, V) to (rows, V / BLOCK, rounded up)."""
    vocabulary = log_probs.shape[1]
    blocks = vocabulary // BLOCK
    whole = log_probs[:, : blocks * BLOCK].unflatten(1, (blocks, BLOCK))
    maxima = [whole.amax(dim=-1)]
    if blocks * BLOCK < vocabulary:
        maxima.append(log_probs[:, blocks * BLOCK :].amax(dim=1, keepdim=True))
    return torch.cat(maxima, dim=1)


def _largest(values: Tensor, count: int) -> Tensor:
    """(B, n) float32 to (B, count): the indices of the largest, equals from the left.

    Value and index make one integer, so no two are equal.
    """
    bits = values.view(torch.int32)
    # Integers in the order of the floats: the bits of negative ones count the other way round.
    ordered = torch.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(torch.int64)
    index = torch.arange(values.shape[1], device=values.device)
    keys = (ordered << 32) | (0xFFFFFFFF - index)
    return 0xFFFFFFFF - (keys.topk(count, dim=1).values & 0xFFFFFFFF)
