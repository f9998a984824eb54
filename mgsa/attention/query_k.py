"""QueryK (Nguyen & Joty 2018, section 3.1.2): the query is a kernel convolved with the keys.

    queries [X Wq,0 ; … ; X Wq,n−1]    keys [k_{t−n+1} ; … ; k_t], k = Y Wk    values Conv_n(Y, Wv)

Every n has its own Wq, Wk and Wv (equation 8). The convolution Σ_j ⟨q_i,j , k_{t−n+1+j}⟩ / √(K n)
is the dot product of concatenated query slices and a window of keys: attention with heads n times
as wide. Heads that attend to several n have a block of keys, and columns of queries, for each. The
1 / √n of the scale is in the keys.
"""

import math
from collections.abc import Sequence

from torch import Tensor, nn

from mgsa.attention.heads import init_projection, split_heads
from mgsa.attention.ngrams import windows
from mgsa.operators import Linear


class QueryK(nn.Module):
    """Heads that attend to n-grams of some sizes; interface of `ConvKV`, `scale` without 1 / √n."""

    one_block = False  # keys of each size have their own columns of the queries

    def __init__(
        self, dim: int, head_dim: int, *, heads: int, sizes: Sequence[int], spans: Sequence[int]
    ) -> None:
        """Arguments are those of `ConvKV`."""
        super().__init__()
        self.heads, self.sizes, self.spans = heads, tuple(sizes), tuple(spans)
        self.scale = 1 / math.sqrt(head_dim)
        self.query: Sequence[nn.Linear] = nn.ModuleList(  # type: ignore[assignment]
            Linear(span * dim, heads * sum(sizes) * head_dim) for span in spans
        )
        # Rows of every size (equation 8).
        self.key = Linear(dim, len(self.sizes) * heads * head_dim)
        self.value = nn.ModuleList(Linear(size * dim, heads * head_dim) for size in sizes)
        for projection in (*self.query, self.key, *self.value):
            init_projection(projection, 3 * dim)

    def words(self, y: Tensor) -> tuple[Tensor, Tensor]:
        """The inputs of `ngrams`: y (B, S, D), and its keys of every size."""
        return y, self.key(y)

    def ngrams(self, words: Sequence[Tensor], length: int) -> list[tuple[Tensor, Tensor]]:
        """The n-grams of `ConvKV`, but with keys of size n of (B, H, `length`, n·K)."""
        y, word_keys = words
        keys_values = []
        for size, own, value in zip(
            self.sizes, word_keys.chunk(len(self.sizes), dim=-1), self.value, strict=True
        ):
            scaled = split_heads(own if size == 1 else own / math.sqrt(size), self.heads)
            values = split_heads(value(windows(y, size, length)), self.heads)
            keys_values.append((windows(scaled, size, length), values))
        return keys_values
