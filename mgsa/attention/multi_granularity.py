"""Multi-granularity self-attention (Hao et al. 2019, section 3).

    word heads            queries X Wq        keys X Wk          values X Wv
    heads of group g      queries X Wq        keys H_g Wk        values H_g Wv

H_g is the phrase memory of granularity g: the phrases of X composed, then run through an
interaction. A group owns its heads' rows of Wq, Wk and Wv.

Not in the paper, all optional:

- a layer norm of H_g, which replaces the normed X, while initial states of a recurrence are ten
  times smaller, so that heads attend uniformly and a small model never learns phrase boundaries; it
  has no gain or bias, which the projections to keys and values would absorb;
- membership `own`: a query sees no phrase but its own, whose values are taken whole; queries and
  keys of these heads never learn;
- a gate, which scales H_g: with none left, its heads attend to zeros.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from mgsa.attention.attend import attend
from mgsa.attention.heads import Attended, init_projection, join_heads, split_heads
from mgsa.attention.word import WORDS
from mgsa.masks import Context
from mgsa.operators import Linear


class MultiGranularityAttention(nn.Module):
    """Self-attention whose heads fall into groups: words first, then each granularity."""

    def __init__(
        self,
        dim: int,
        head_dim: int,
        *,
        group_heads: Sequence[int],
        compositions: Mapping[str, nn.Module],
        tag_heads: Mapping[str, nn.Module],
        interaction: nn.Module,
        norm: bool,
        membership: Literal["none", "own"],
        dropout: float,
    ) -> None:
        """Groups of heads and the parts, already built, of each granularity.

        Args:
            group_heads: number of heads for words, then for each granularity.
            compositions: by granularity, `(x, segments, num_phrases=M)` to memory.
            tag_heads: by supervised granularity, memory to logits.
            interaction: `(memories, lengths)` of all granularities to memories.
            norm, membership: as above.
        """
        super().__init__()
        self.head_dim = head_dim
        self.group_heads = tuple(group_heads)
        self.dropout = dropout
        self.compositions = nn.ModuleDict(compositions)
        self.tag_heads = nn.ModuleDict(tag_heads)
        self.interaction = interaction
        self.norm, self.membership = norm, membership
        words, *phrases = (heads * head_dim for heads in group_heads)
        # Rows of all heads' queries, then of the word heads' keys and values.
        self.word_projection = Linear(dim, dim + 2 * words)
        # Rows of each group's keys and values.
        projections = {n: Linear(dim, 2 * p) for n, p in zip(compositions, phrases, strict=True)}
        self.phrase_projections = nn.ModuleDict(projections)
        self.output = Linear(dim, dim)
        for projection in (self.word_projection, *projections.values()):
            init_projection(projection, 3 * dim)
        init_projection(self.output, dim)

    def forward(self, x: Tensor, context: Context, *, need_weights: bool = False) -> Attended:
        """x (B, T, D) to (B, T, D)."""
        memories, tag_logits = self._compose(x, context)
        words = self.group_heads[0] * self.head_dim
        queries, *word_memory = self.word_projection(x).split([x.shape[-1], words, words], dim=-1)
        keys_values = {WORDS: tuple(word_memory)}
        masks = {WORDS: context.mask}
        for name, memory in memories.items():
            keys_values[name] = self.phrase_projections[name](memory).chunk(2, dim=-1)
            phrases = context.phrases[name]
            masks[name] = phrases.own if self.membership == "own" else phrases.mask
        group_widths = [heads * self.head_dim for heads in self.group_heads]
        group_queries = queries.split(group_widths, dim=-1)
        outputs, weights = [], {}
        for name, heads, q in zip(keys_values, self.group_heads, group_queries, strict=True):
            keys, values = keys_values[name]
            attended, group_weights = attend(
                split_heads(q, heads),
                split_heads(keys, heads),
                split_heads(values, heads),
                masks[name],
                dropout=self.dropout if self.training else 0.0,
                need_weights=need_weights,
            )
            outputs.append(join_heads(attended))
            if group_weights is not None:
                weights[name] = group_weights
        return Attended(self.output(torch.cat(outputs, dim=-1)), weights, tag_logits)

    def _compose(self, x: Tensor, context: Context) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """The phrase memory (B, M_g, D) and the tag logits of every granularity."""
        memories, tag_logits, counts = {}, {}, []
        for name, composition in self.compositions.items():
            phrases = context.phrases[name]
            memory = composition(x, phrases.segments, num_phrases=phrases.lengths.shape[1])
            if name in self.tag_heads:
                tag_logits[name] = self.tag_heads[name](memory)
            memories[name] = memory
            counts.append(phrases.counts)
        interacted = self.interaction(list(memories.values()), counts)
        if self.norm:
            interacted = [F.layer_norm(memory, memory.shape[-1:]) for memory in interacted]
        if context.gate is not None:
            interacted = [memory * context.gate for memory in interacted]
        return dict(zip(memories, interacted, strict=True)), tag_logits
