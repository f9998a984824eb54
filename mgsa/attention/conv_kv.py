"""ConvKV (Nguyen & Joty 2018, section 3.1.1): n-grams of keys and of values, by convolution.

    queries X Wq        keys Conv_n(Y, Wk)        values Conv_n(Y, Wv)

All n share Wq. A query of several positions (interleaving) is a convolution too.
"""

import math
from collections.abc import Sequence

from torch import Tensor, nn

from mgsa.attention.heads import init_projection, split_heads
from mgsa.attention.ngrams import windows
from mgsa.operators import Linear


class ConvKV(nn.Module):
    """Heads that attend to n-grams of some sizes, convolved from their words.

    `query` projects, for each stream, the windows of its span.
    """

    one_block = True  # keys of all sizes have the same queries

    def __init__(
        self, dim: int, head_dim: int, *, heads: int, sizes: Sequence[int], spans: Sequence[int]
    ) -> None:
        """`sizes` of n-grams; `spans` of positions that each stream's queries are made of."""
        super().__init__()
        self.heads, self.sizes, self.spans = heads, tuple(sizes), tuple(spans)
        self.scale = 1 / math.sqrt(head_dim)
        width = heads * head_dim
        self.query: Sequence[nn.Linear] = nn.ModuleList(  # type: ignore[assignment]
            Linear(span * dim, width) for span in spans
        )
        self.key_value = nn.ModuleList(Linear(size * dim, 2 * width) for size in sizes)
        for projection in (*self.query, *self.key_value):
            init_projection(projection, 3 * dim)

    def words(self, y: Tensor) -> tuple[Tensor]:
        """The inputs of `ngrams`: y (B, S, D) itself."""
        return (y,)

    def ngrams(self, words: Sequence[Tensor], length: int) -> list[tuple[Tensor, Tensor]]:
        """Keys and values (B, H, `length`, K) of each size, for the last `length` positions."""
        (y,) = words
        keys_values = []
        for size, projection in zip(self.sizes, self.key_value, strict=True):
            keys, values = projection(windows(y, size, length)).chunk(2, dim=-1)
            keys_values.append((split_heads(keys, self.heads), split_heads(values, self.heads)))
        return keys_values
