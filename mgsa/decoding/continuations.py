"""The best continuations of hypotheses by the next token: a top k with ties in a known order."""

import torch
from torch import Tensor

BLOCK = 64
"""Tokens whose maximum is compared first; near √V is fastest."""


def best_continuations(log_probs: Tensor, scores: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The `count` best continuations of each sentence's hypotheses, best first.

    Ties are ordered by hypothesis, then token, which `torch.topk` does not promise; and the scores
    are read once, except for the best blocks.

    Args:
        log_probs: (B · beam, V) float32, of the next token.
        scores: (B, beam) float32, of the hypotheses, −inf for missing ones.

    Returns:
        (B, count) scores, −inf for missing continuations; (B, count) hypothesis · V + token.
    """
    B, beam = scores.shape
    vocabulary = log_probs.shape[1]
    maxima = _block_maxima(log_probs)  # (B · beam, blocks)
    num_blocks = maxima.shape[1]
    maxima = (maxima.view(B, beam, num_blocks) + scores[..., None]).flatten(1)
    # The best `count` elements lie in the best `count` blocks, ties included: each of these holds
    # an element before all elements of other blocks. Sorting blocks restores the order of ties.
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
    """(rows, V) to the maxima of blocks, (rows, ⌈V / BLOCK⌉)."""
    vocabulary = log_probs.shape[1]
    blocks = vocabulary // BLOCK
    whole = log_probs[:, : blocks * BLOCK].unflatten(1, (blocks, BLOCK))
    maxima = [whole.amax(dim=-1)]
    if blocks * BLOCK < vocabulary:
        maxima.append(log_probs[:, blocks * BLOCK :].amax(dim=1, keepdim=True))
    return torch.cat(maxima, dim=1)


def _largest(values: Tensor, count: int) -> Tensor:
    """(B, n) float32 to (B, count): indices of the largest, ties from the left.

    Value and index are packed into one integer, so there are no ties.
    """
    bits = values.view(torch.int32)
    # Integers in the order of the floats: those of negative floats are inverted.
    ordered = torch.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(torch.int64)
    index = torch.arange(values.shape[1], device=values.device)
    keys = (ordered << 32) | (0xFFFFFFFF - index)
    return 0xFFFFFFFF - (keys.topk(count, dim=1).values & 0xFFFFFFFF)
