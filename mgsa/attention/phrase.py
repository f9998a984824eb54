"""Phrase-based attention (Nguyen & Joty 2018): self-attention and cross-attention to n-grams."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from mgsa.attention.attend import log_weights
from mgsa.attention.heads import Attended, first_head
from mgsa.attention.memory import KeyValueCache, Memories, Memory, RecentInputs
from mgsa.attention.ngrams import whole_windows
from mgsa.attention.phrase_heads import PhraseHeads
from mgsa.masks import Context


class PhraseSelfAttention(nn.Module):
    """Every position attends to the n-grams of its own sentence."""

    def __init__(self, heads: PhraseHeads) -> None:
        super().__init__()
        self.heads = heads

    def forward(self, x: Tensor, context: Context, *, need_weights: bool = False) -> Attended:
        """x (B, T, D) to (B, T, D)."""
        return self.heads(
            self.heads.queries(x),
            self.heads.memories(x, context.mask),
            causal=context.causal,
            whole=self.heads.fold == 1 or _whole_bigrams(x, context.mask),
            need_weights=need_weights,
        )

    def start(self, *, max_length: int) -> PhraseCache:
        """The cache before the first of at most `max_length` positions."""
        return PhraseCache(
            RecentInputs(self.heads.reach - 1),
            [
                KeyValueCache(max_length=max_length * len(group.sizes))
                for group in self.heads.groups
            ],
        )

    def step(self, x: Tensor, cache: PhraseCache) -> Tensor:
        """x (rows, 1, D), the position after those in `cache`, which it joins, to (rows, 1, D)."""
        position = cache.recent.length
        seen = cache.recent.push(x)
        memories = []
        for group, kept in zip(self.heads.groups, cache.groups, strict=True):
            for size, (keys, values) in zip(
                group.sizes, group.ngrams(seen, last=True), strict=True
            ):
                if self.heads.padded or size <= position + 1:
                    kept.append(keys.flatten(1), values.flatten(1))
            memories.append(Memory(*kept.keys_and_values(group.heads), mask=None))
        queries = self.heads.queries(seen, last=True)
        return self.heads(queries, Memories(tuple(memories)), whole=position > 0).output


class PhraseCrossAttention(nn.Module):
    """Every target position attends to the n-grams of the source."""

    def __init__(self, heads: PhraseHeads) -> None:
        super().__init__()
        self.heads = heads

    @property
    def sees_words(self) -> bool:
        """Whether weights are of words too, not of longer n-grams alone."""
        return any(1 in group.sizes for group in self.heads.groups)

    def memory(self, states: Tensor, mask: Tensor) -> Memories:
        """The encoder's output (B, S, D) and its mask (B, 1, 1, S) as n-grams."""
        return self.heads.memories(states, mask)

    def forward(self, x: Tensor, memory: Memories, *, need_weights: bool = False) -> Attended:
        """x (B, T, D) to (B, T, D)."""
        return self.heads(
            self.heads.queries(x),
            memory,
            whole=self.heads.fold == 1 or _whole_bigrams(x, None),
            need_weights=need_weights,
        )

    def alignment(self, x: Tensor, memory: Memories) -> Tensor:
        """x (B, T, D) to (B, T, S): the logarithm of the weights of the first head over words.

        There must be one: heads that attend to bigrams too, under one softmax, have none.
        """
        of_words = [group.sizes == (1,) and group.spans == (1,) for group in self.heads.groups]
        place = of_words.index(True)
        group, words = self.heads.groups[place], memory.groups[place]
        query = first_head(x, group.query[0], group.key_dim)
        return log_weights(query, words.keys[:, :1], words.mask, scale=group.scale)[:, 0]

    def start(self) -> RecentInputs:
        """The cache before the first position: of the words that queries are made of."""
        return RecentInputs(self.heads.query_reach - 1)

    def step(
        self, x: Tensor, cache: RecentInputs, memory: Memories, *, need_weights: bool = False
    ) -> Attended:
        """x (rows, 1, D), one position of each row, to (rows, 1, D).

        Rows come sentence by sentence, as many of each: the rows of a sentence then are queries of
        one attention.
        """
        position = cache.length
        sentences = memory.num_sentences
        queries = [
            # (rows, H, 1, ·) to (sentences, H, rows of a sentence, ·)
            [q[:, :, 0].unflatten(0, (sentences, -1)).transpose(1, 2) for q in spans]
            for spans in self.heads.queries(cache.push(x), last=True)
        ]
        attended = self.heads(queries, memory, whole=position > 0, need_weights=need_weights)
        return attended.by_rows(x)


class PhraseCache:
    """What self-attention keeps of the positions decoded so far.

    Attributes:
        recent: the last inputs, of which the next n-grams and queries are made.
        groups: each group's n-grams, in the order in which they ended.
    """

    def __init__(self, recent: RecentInputs, groups: Sequence[KeyValueCache]) -> None:
        self.recent = recent
        self.groups = groups

    def reorder(self, index: Tensor) -> PhraseCache:
        """The cache of the rows `index`, (rows',)."""
        return PhraseCache(
            self.recent.reorder(index), [group.reorder(index) for group in self.groups]
        )


def _whole_bigrams(x: Tensor, mask: Tensor | None) -> Tensor:
    """(B or 1, T, 1): the positions that are no padding and have one before them."""
    return whole_windows(mask, x, 2)[:, 0, 0, :, None]
