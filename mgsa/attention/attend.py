"""Scaled dot-product attention (Vaswani et al. 2017, equation 1), the only implementation."""

import math
from collections.abc import Sequence
from functools import reduce

import torch
from torch import Tensor
from torch.nn import functional as F

from mgsa.masks import causal_mask
from mgsa.operators import dropout as drop

Blocks = Tensor | Sequence[Tensor]
"""Keys or values, in one block or in several blocks of positions."""


def pass_cudnn_by() -> None:
    """Have this process use torch's other fused kernels in place of cuDNN's attention.

    It is the first choice for bfloat16 on Hopper, but its plans are of one exact shape, so each new
    length takes half a second, and with some masks gradients were NaN (pytorch#196678).
    """
    torch.backends.cuda.enable_cudnn_sdp(False)


def attend(
    q: Tensor,
    k: Blocks,
    v: Blocks,
    mask: Tensor | None,
    *,
    causal: bool = False,
    scale: float | None = None,
    dropout: float = 0.0,
    need_weights: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """softmax(q kᵀ · scale) v over the keys that each query may see.

    The result of a query that may see no key is undefined, but finite.

    Args:
        q: (B, H, T, K).
        k: (B, H, S, K), or blocks (B, H, S_n, K_n) under one softmax, Σ S_n = S, each with its own
            columns of q, Σ K_n = K.
        v: (B, H, S, K'), or as many blocks (B, H, S_n, K').
        mask: bool, broadcastable to (B, H, T, S), True = may attend; `None`: all.
        causal: hide keys after t from query t too (T = S); fused kernels then skip that half.
        scale: `None`: 1 / √K.
        dropout: rate for weights.
        need_weights: also return weights (before dropout), without the fused kernels.

    Returns:
        (B, H, T, K') and, if asked for, weights (B, H, T, S).
    """
    keys, values = _blocks(k), _blocks(v)
    # Torch's fused CPU kernel needs K = K'; otherwise it falls back to what follows, with copies.
    # It goes by blocks of 32 queries, and of a few it is slower, most so with two threads.
    few = 1 < q.shape[-2] <= 32
    fused = not need_weights and len(keys) == 1
    fused = fused and (q.is_cuda or (not few and q.shape[-1] == values[0].shape[-1]))
    if causal and (mask is not None or not fused):
        earlier = causal_mask(q.shape[-2], sum(block.shape[-2] for block in keys), q.device)
        mask, causal = earlier if mask is None else mask & earlier, False
    if fused:
        attended = F.scaled_dot_product_attention(
            q, keys[0], values[0], mask, dropout_p=dropout, is_causal=causal, scale=scale
        )
        return attended, None
    weights = _logits(q, keys, mask, scale).softmax(dim=-1)
    kept = drop(weights, dropout).to(values[0].dtype)
    parts = kept.split([block.shape[-2] for block in values], dim=-1)
    outputs = [part @ block for part, block in zip(parts, values, strict=True)]
    return reduce(torch.add, outputs), weights if need_weights else None


def log_weights(q: Tensor, k: Blocks, mask: Tensor | None, *, scale: float | None = None) -> Tensor:
    """Logarithm of the weights of `attend`, (B, H, T, S), in float32 or wider.

    Masked keys get the lowest finite number, not −∞, which would make gradients NaN.
    """
    logits = _logits(q, _blocks(k), mask, scale)
    return logits.log_softmax(dim=-1, dtype=torch.promote_types(logits.dtype, torch.float32))


def _blocks(x: Blocks) -> Sequence[Tensor]:
    return (x,) if isinstance(x, Tensor) else x


def _logits(q: Tensor, keys: Sequence[Tensor], mask: Tensor | None, scale: float | None) -> Tensor:
    scaled = q * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    parts = scaled.split([block.shape[-1] for block in keys], dim=-1)
    products = [part @ block.transpose(-2, -1) for part, block in zip(parts, keys, strict=True)]
    logits = products[0] if len(products) == 1 else torch.cat(products, dim=-1)
    if mask is None:
        return logits
    # A sum, which has no gradient to mask.
    hidden = logits.new_zeros(mask.shape).masked_fill_(~mask, torch.finfo(logits.dtype).min)
    return logits + hidden
