"""QueryK (Nguyen & Joty 2018, section 3.1.2): the query is a kernel that is run over the keys.

    queries [X Wq,0 ; … ; X Wq,n−1]    keys [k_{t−n+1} ; … ; k_t], k = Y Wk    values Conv_n(Y, Wv)

Every n has projections Wq, Wk and Wv of its own (equation 8).

The convolution Σ_j ⟨q_i,j , k_{t−n+1+j}⟩ / √(K n) is the dot product of the query's slices, one
behind the other, with a window of keys: ordinary attention whose heads are n times as wide. Where
heads attend to several n at once, each n has a block of keys, and columns of the queries, of its
own. Of the scale 1 / √(K n), 1 / √n is in the keys.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch import Tensor, nn

from mgsa.attention.heads import init_projection, split_heads
from mgsa.attention.ngrams import windows


class QueryK(nn.Module):
    """Heads that attend to n-grams of some sizes, with a query of n slices for each n.

    The interface is that of `ConvKV`; `scale` leaves out that of each n.
    """

    one_block = False  # keys of each size have columns of the queries of their own

    def __init__(
        self, dim: int, head_dim: int, *, heads: int, sizes: Sequence[int], spans: Sequence[int]
    ) -> None:
        """Arguments as of `ConvKV`."""
        super().__init__()
        self.heads, self.sizes, self.spans = heads, tuple(sizes), tuple(spans)
        self.scale = 1 / math.sqrt(head_dim)
        self.query: Sequence[nn.Linear] = nn.ModuleList(  # type: ignore[assignment]
            nn.Linear(span * dim, heads * sum(sizes) * head_dim) for span in spans
        )
        # Rows of every size: the keys of each n are projections of their own (equation 8).
        self.key = nn.Linear(dim, len(self.sizes) * heads * head_dim)
        self.value = nn.ModuleList(nn.Linear(size * dim, heads * head_dim) for size in sizes)
        for projection in (*self.query, self.key, *self.value):
            init_projection(projection, 3 * dim)

    def words(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """The words that n-grams are made of: y (B, S, D), and their keys of every size."""
        return y, self.key(y)

    def ngrams(self, words: Sequence[Tensor], length: int) -> list[tuple[Tensor, Tensor]]:
        """As of `ConvKV`, but keys of size n are (B, H, `length`, n·K)."""
        y, word_keys = words
        keys_values = []
        for size, own, value in zip(
            self.sizes, word_keys.chunk(len(self.sizes), dim=-1), self.value, strict=True
        ):
            scaled = split_heads(own if size == 1 else own / math.sqrt(size), self.heads)
            values = split_heads(value(windows(y, size, length)), self.heads)
            keys_values.append((windows(scaled, size, length), values))
        return keys_values
