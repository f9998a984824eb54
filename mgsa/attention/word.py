"""Attention to words (Vaswani et al. 2017, section 3.2.2).

    queries X Wq        keys Y Wk        values Y Wv

Y is X in self-attention and the encoder's output in cross-attention.
"""

from torch import Tensor, nn

from mgsa.attention.attend import attend, log_weights
from mgsa.attention.heads import Attended, first_head, init_projection, join_heads, split_heads
from mgsa.attention.memory import Cache, Memories, Memory
from mgsa.masks import Context
from mgsa.operators import Linear

WORDS = "words"


class WordSelfAttention(nn.Module):
    """Every position attends to the positions of its own sentence."""

    def __init__(self, dim: int, heads: int, *, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.projection = Linear(dim, 3 * dim)  # rows of queries, of keys, of values
        self.output = Linear(dim, dim)
        init_projection(self.projection, 3 * dim)
        init_projection(self.output, dim)

    def forward(
        self,
        x: Tensor,
        context: Context,
        *,
        cache: Cache | None = None,
        need_weights: bool = False,
    ) -> Attended:
        """x (B, T, D) to (B, T, D); with a cache, x (B · n, 1, D) is appended to it."""
        mask = context.mask
        projected = self.projection(x)
        if cache is not None:  # a sentence's rows are its queries
            projected = projected.view(len(cache.visible), -1, projected.shape[-1])
        q, k, v = projected.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        if cache is not None:
            k, v = cache.extend(self, "keys", k), cache.extend(self, "values", v)
            seen = cache.mask()
            mask = None if seen is None else seen[..., 0]
        attended, weights = attend(
            q,
            k,
            v,
            mask,
            causal=context.causal,
            dropout=self.dropout if self.training else 0.0,
            need_weights=need_weights,
        )
        output = self.output(join_heads(attended)).view_as(x)
        return Attended(output, {} if weights is None else {WORDS: weights})


class WordCrossAttention(nn.Module):
    """Every target position attends to the positions of the source."""

    sees_words = True

    def __init__(self, dim: int, heads: int, *, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.query = Linear(dim, dim)
        self.key_value = Linear(dim, 2 * dim)  # rows of keys, of values
        self.output = Linear(dim, dim)
        init_projection(self.query, 3 * dim)
        init_projection(self.key_value, 3 * dim)
        init_projection(self.output, dim)

    def memory(self, states: Tensor, mask: Tensor) -> Memories:
        """The encoder's output (B, S, D) and its mask (B, 1, 1, S) as keys and values."""
        projected = self.key_value(states).unflatten(-1, (2, self.heads, -1))
        # A head's lie together, as decoding reads them at every step.
        keys, values = projected.permute(2, 0, 3, 1, 4).contiguous()
        return Memories((Memory((keys,), (values,), mask),))

    def forward(
        self,
        x: Tensor,
        memory: Memories,
        *,
        cache: Cache | None = None,  # noqa: ARG002
        need_weights: bool = False,
    ) -> Attended:
        """x (B·n, T, D) to (B·n, T, D); the n rows of a sentence share its keys and values."""
        (words,) = memory.groups
        queries = self.query(x.view(memory.num_sentences, -1, x.shape[-1]))
        attended, weights = attend(
            split_heads(queries, self.heads),
            words.keys,
            words.values,
            words.mask,
            dropout=self.dropout if self.training else 0.0,
            need_weights=need_weights,
        )
        output = self.output(join_heads(attended))
        return Attended(output, {} if weights is None else {WORDS: weights}).by_rows(x)

    def alignment(self, x: Tensor, memory: Memories) -> Tensor:
        """x (B, T, D) to (B, T, S): log weights of the first head."""
        (words,) = memory.groups
        (keys,) = words.keys
        query = first_head(x, self.query, keys.shape[-1])
        return log_weights(query, keys[:, :1], words.mask)[:, 0]
