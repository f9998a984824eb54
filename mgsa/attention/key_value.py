"""Attention of a recurrent decoder to the source (Mino et al. 2017), with its last state as query.

                    queries                   keys                  values
    attn            d_{j−1}                   h_i                   h_i
    key-value       first half of d_{j−1}     W_f [k→_i ; k←_i]     W_g [v→_i ; v←_i]
    modifying-IW    first half of d_{j−1}     key half of h_i       h_i

One head, unscaled dot products. The encoder's states s_i of both directions, D wide each, are cut
into key and value halves, s_i = [k→_i ; k←_i ; v→_i ; v←_i]. W_f and W_g are (D/2, D), and
h_i = W_e s_i with W_e (D, 2D): the paper's W_e [h→_i ; h←_i] with permuted columns.

In modifying-IW the score is that of h_i ⊙ u, u being 1 in the key half and 0 in the other. The
columns of W_d that read the key half of c_j are initialised to zero, so that it starts like
key-value, but for the blocks of W_e that mix keys and values.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from mgsa.attention.attend import attend, log_weights
from mgsa.attention.heads import Attended, join_heads, split_heads
from mgsa.attention.memory import Memories, Memory
from mgsa.attention.word import WORDS
from mgsa.operators import Linear

KeysAndValues = Callable[[Tensor], tuple[Tensor, Tensor]]
"""s (B, S, 2D) to keys (B, S, K) and values (B, S, K'), K at most D."""


class WholeStates(nn.Module):
    """attn: h_i = W_e s_i as key and value."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.state = Linear(2 * dim, dim, bias=False)  # W_e

    def forward(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """s (B, S, 2D) to h (B, S, D), twice."""
        h = self.state(states)
        return h, h


class KeyHalves(WholeStates):
    """modifying-IW: the key half of h_i as key, h_i as value."""

    def forward(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """s (B, S, 2D) to keys (B, S, D/2) and values (B, S, D)."""
        h = self.state(states)
        return h.chunk(2, dim=-1)[0], h


class KeyValueHalves(nn.Module):
    """key-value: k_i = W_f [k→_i ; k←_i] and v_i = W_g [v→_i ; v←_i]."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.key = Linear(dim, dim // 2, bias=False)  # W_f
        self.value = Linear(dim, dim // 2, bias=False)  # W_g

    def forward(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """s (B, S, 2D) to keys and values (B, S, D/2) each."""
        keys, values = states.chunk(2, dim=-1)
        return self.key(keys), self.value(values)


@torch.no_grad()
def zero_key_columns(output: nn.Linear, dim: int) -> None:
    """modifying-IW: zero the columns of W_d (D, 2D) that read the key half of c_j."""
    output.weight[:, dim : dim + dim // 2] = 0


class StateAttention(nn.Module):
    """Attention of the decoder's states to source words: c_j = Σ_i α_ij v_i."""

    def __init__(self, keys_and_values: KeysAndValues) -> None:
        super().__init__()
        self.keys_and_values = keys_and_values

    def memory(self, states: Tensor, mask: Tensor) -> Memories:
        """The encoder's output s (B, S, 2D) and its mask (B, 1, 1, S) as keys and values."""
        keys, values = self.keys_and_values(states)
        return Memories((Memory((split_heads(keys, 1),), (split_heads(values, 1),), mask),))

    def joined(self, states: Tensor) -> Tensor:
        """s (B, 2D) to h (B, D), for key-value [k ; v]."""
        keys, values = self.keys_and_values(states)
        return values if 2 * values.shape[-1] == states.shape[-1] else torch.cat([keys, values], -1)

    def forward(self, d: Tensor, memory: Memories, *, need_weights: bool = False) -> Attended:
        """d_{j−1} (B·n, T, D), sentence by sentence, to c_j (B·n, T, K')."""
        (words,) = memory.groups
        attended, weights = attend(
            _queries(d.view(memory.num_sentences, -1, d.shape[-1]), words),
            words.keys,
            words.values,
            words.mask,
            scale=1.0,
            need_weights=need_weights,
        )
        context = join_heads(attended)
        return Attended(context, {} if weights is None else {WORDS: weights}).by_rows(d)

    def alignment(self, d: Tensor, memory: Memories) -> Tensor:
        """d_{j−1} (B, T, D) to log α, (B, T, S)."""
        (words,) = memory.groups
        return log_weights(_queries(d, words), words.keys, words.mask, scale=1.0)[:, 0]


def _queries(d: Tensor, words: Memory) -> Tensor:
    """The first K units of d_{j−1} (B, T, D) as queries, (B, 1, T, K)."""
    (keys,) = words.keys
    return split_heads(d[..., : keys.shape[-1]], 1)
