"""Phrase-based attention (Nguyen & Joty 2018): self-attention and cross-attention to n-grams."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from mgsa.attention.attend import log_weights
from mgsa.attention.heads import Attended, first_head
from mgsa.attention.memory import KeyValueCache, Memories, Memory, RecentWords
from mgsa.attention.ngrams import whole_windows
from mgsa.attention.phrase_heads import PhraseHeads, Technique
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
            RecentWords(self.heads.query_reach - 1),
            [NgramCache.of(group, max_length=max_length) for group in self.heads.groups],
        )

    def step(self, x: Tensor, cache: PhraseCache) -> Tensor:
        """x (rows, 1, D), the position after those in `cache`, which it joins, to (rows, 1, D)."""
        position = cache.recent.length
        (seen,) = cache.recent.push(x)
        longest = None if self.heads.padded else position + 1
        memories = tuple(
            kept.extend(group, x, longest=longest)
            for group, kept in zip(self.heads.groups, cache.groups, strict=True)
        )
        queries = self.heads.queries(seen, last=True)
        return self.heads(queries, Memories(memories), whole=position > 0).output


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
        index = of_words.index(True)
        group, words = self.heads.groups[index], memory.groups[index]
        (keys,) = words.keys
        query = first_head(x, group.query[0], group.key_dim)
        return log_weights(query, keys[:, :1], words.mask, scale=group.scale)[:, 0]

    def start(self) -> RecentWords:
        """The cache before the first position: of the words that queries are made of."""
        return RecentWords(self.heads.query_reach - 1)

    def step(
        self, x: Tensor, cache: RecentWords, memory: Memories, *, need_weights: bool = False
    ) -> Attended:
        """x (rows, 1, D), one position of each row, to (rows, 1, D).

        Rows come sentence by sentence, as many of each: the rows of a sentence then are queries of
        one attention.
        """
        position = cache.length
        (seen,) = cache.push(x)
        sentences = memory.num_sentences
        queries = [
            # (rows, H, 1, ·) to (sentences, H, rows of a sentence, ·)
            [q[:, :, 0].unflatten(0, (sentences, -1)).transpose(1, 2) for q in spans]
            for spans in self.heads.queries(seen, last=True)
        ]
        attended = self.heads(queries, memory, whole=position > 0, need_weights=need_weights)
        return attended.by_rows(x)


class PhraseCache:
    """The cache of self-attention to n-grams.

    Attributes:
        recent: the last inputs, of which the next queries are made.
        groups: each group's n-grams.
    """

    def __init__(self, recent: RecentWords, groups: Sequence[NgramCache]) -> None:
        self.recent = recent
        self.groups = groups

    def reorder(self, index: Tensor) -> PhraseCache:
        """The cache of the rows `index`, (rows',)."""
        return PhraseCache(
            self.recent.reorder(index), [group.reorder(index) for group in self.groups]
        )


class NgramCache:
    """The cached n-grams of a group of heads.

    Attributes:
        words: the last words, of which the next n-grams are made.
        blocks: of keys and values, n-grams in the order in which they ended.
    """

    def __init__(self, words: RecentWords, blocks: Sequence[KeyValueCache]) -> None:
        self.words = words
        self.blocks = blocks

    @classmethod
    def of(cls, group: Technique, *, max_length: int) -> NgramCache:
        """The cache before the first of at most `max_length` positions."""
        room = max_length * len(group.sizes) // group.blocks
        blocks = [KeyValueCache(max_length=room) for _ in range(group.blocks)]
        return cls(RecentWords(max(group.sizes) - 1), blocks)

    def extend(self, group: Technique, x: Tensor, *, longest: int | None) -> Memory:
        """Add the n-grams that end at the next position x (rows, 1, D); give all there are.

        None is longer than `longest`.
        """
        ngrams = group.ngrams(self.words.push(*group.words(x)), last=True)
        for number, (size, (keys, values)) in enumerate(zip(group.sizes, ngrams, strict=True)):
            if longest is None or size <= longest:
                self.blocks[number % group.blocks].append(keys.flatten(1), values.flatten(1))
        held = [
            block.keys_and_values(group.heads)
            if block.length
            else (keys[:, :, :0], values[:, :, :0])
            for block, (keys, values) in zip(self.blocks, ngrams, strict=False)
        ]
        all_keys, all_values = zip(*held, strict=True)
        return Memory(all_keys, all_values, mask=None)

    def reorder(self, index: Tensor) -> NgramCache:
        """The cache of the rows `index`, (rows',)."""
        return NgramCache(self.words.reorder(index), [b.reorder(index) for b in self.blocks])


def _whole_bigrams(x: Tensor, mask: Tensor | None) -> Tensor:
    """(B or 1, T, 1): the positions that are no padding and have one before them."""
    return whole_windows(mask, x, 2)[:, 0, 0, :, None]
