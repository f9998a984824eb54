"""What a probe is: a multi-layer perceptron that tells a class from a state (Shi et al. 2016).

    sentence    class = MLP(mean of the states of its positions)
    word        class = MLP(state of the position), for each subword of the word

End of sentence counts as a position of its sentence, for the decoder attends to it too; padding
never does. No word has it, so tasks of words leave it out.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mgsa.probing.rows import NO_LABEL


class Classifier(nn.Module):
    """One hidden layer of rectified units."""

    def __init__(self, dim: int, classes: int, *, hidden: int, dropout: float) -> None:
        super().__init__()
        self.hidden = nn.Linear(dim, hidden)
        self.dropout = dropout
        self.output = nn.Linear(hidden, classes)

    def forward(self, x: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        """x (P, D), what is told apart, to (P, classes) logits.

        Args:
            generator: in training, what dropout is drawn from; without one, nothing is dropped.
        """
        hidden = self.hidden(x).relu()
        if generator is not None and self.dropout:
            drawn = torch.rand(hidden.shape, generator=generator, device=hidden.device)
            hidden = hidden * (drawn >= self.dropout) / (1 - self.dropout)
        return self.output(hidden)


def labelled(states: Tensor, mask: Tensor, labels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What has a label, of a batch.

    Args:
        states: (B, S, D).
        mask: (B, 1, 1, S) which positions are no padding.
        labels: (B,) of sentences, or (B, S) of positions; `NO_LABEL` where there is none.

    Returns:
        (P, D) vectors; (P,) their labels; (P,) which of the B sentences each is of.
    """
    present = labels != NO_LABEL
    vectors = sentence_means(states, mask) if labels.dim() == 1 else states
    return vectors[present], labels[present], present.nonzero()[:, 0]


def sentence_means(states: Tensor, mask: Tensor) -> Tensor:
    """states (B, S, D), mask (B, 1, 1, S) to (B, D): the mean over what is no padding."""
    inside = mask[:, 0, 0, :, None]
    return states.masked_fill(~inside, 0.0).sum(dim=1) / inside.sum(dim=1)
