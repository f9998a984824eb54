"""Phrase-based attention (Nguyen & Joty 2018): self-attention and cross-attention to n-grams."""

from torch import Tensor, nn

from mgsa.attention.attend import log_weights
from mgsa.attention.heads import Attended, first_head
from mgsa.attention.memory import Cache, Memories
from mgsa.attention.phrase_heads import PhraseHeads
from mgsa.masks import Context


class PhraseSelfAttention(nn.Module):
    """Every position attends to the n-grams of its own sentence."""

    def __init__(self, heads: PhraseHeads) -> None:
        super().__init__()
        self.heads = heads

    def forward(
        self,
        x: Tensor,
        context: Context,
        *,
        cache: Cache | None = None,
        need_weights: bool = False,
    ) -> Attended:
        """x (B, T, D) to (B, T, D); with a cache, x (B · n, 1, D) is appended to it."""
        heads = self.heads
        queries, bigrams = heads.queries(x, context.mask, cache)
        memories = heads.memories(x, context.mask) if cache is None else heads.extend(x, cache)
        attended = heads(
            queries, memories, bigrams=bigrams, causal=context.causal, need_weights=need_weights
        )
        return attended if cache is None else attended.by_rows(x)


class PhraseCrossAttention(nn.Module):
    """Every target position attends to the n-grams of the source."""

    def __init__(self, heads: PhraseHeads) -> None:
        super().__init__()
        self.heads = heads

    @property
    def sees_words(self) -> bool:
        """Whether there are weights of single words, not of longer n-grams alone."""
        return any(1 in group.sizes for group in self.heads.groups)

    def memory(self, states: Tensor, mask: Tensor) -> Memories:
        """The encoder's output (B, S, D) and its mask (B, 1, 1, S) as n-grams."""
        return self.heads.memories(states, mask)

    def forward(
        self,
        x: Tensor,
        memory: Memories,
        *,
        cache: Cache | None = None,
        need_weights: bool = False,
    ) -> Attended:
        """x (B·n, T, D), sentence by sentence, to (B·n, T, D).

        With a cache, T is 1; queries are made of x and the cached positions.
        """
        queries, bigrams = self.heads.queries(x, cache=cache)
        attended = self.heads(queries, memory, bigrams=bigrams, need_weights=need_weights)
        return attended.by_rows(x)

    def alignment(self, x: Tensor, memory: Memories) -> Tensor:
        """x (B, T, D) to (B, T, S): log weights of the first head that attends to words alone."""
        of_words = [group.sizes == (1,) and group.spans == (1,) for group in self.heads.groups]
        index = of_words.index(True)
        group, words = self.heads.groups[index], memory.groups[index]
        (keys,) = words.keys
        query = first_head(x, group.query[0], keys.shape[-1])
        return log_weights(query, keys[:, :1], words.mask, scale=group.scale)[:, 0]
