"""The loss: translation NLL + λ · tag NLL + λ_a · alignment NLL.

Tags are those of Hao et al. 2019, section 3.3, alignments those of Garg et al. 2019, equation 5.
The terms are sums over target tokens, phrases and aligned target tokens. As in the papers, whose
objectives sum over a sentence pair, the trainer divides all by an update's target tokens.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx, once_differentiable
from torch.nn import functional as F

from mgsa.data.batch import NO_PHRASE, Batch
from mgsa.data.vocabulary import PAD
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.model.joint_alignment import HeadAlignment


@dataclass(frozen=True)
class LossSums:
    """Sums over the tokens and phrases of batches; they add up.

    Attributes:
        loss: what is minimised, with the label-smoothed NLL of the target.
        nll: NLL of the target, not smoothed.
        tokens: target tokens, end of sentence included.
        tag_nll: NLL of the phrases' tags, over all syntactic granularities.
        tags: phrases that have a tag.
        tags_right: phrases whose likeliest tag is theirs.
        alignment_nll: cross-entropy of the alignments of target tokens that have any.
        aligned: target tokens that have any.
    """

    loss: float = 0.0
    nll: float = 0.0
    tokens: float = 0.0
    tag_nll: float = 0.0
    tags: float = 0.0
    tags_right: float = 0.0
    alignment_nll: float = 0.0
    aligned: float = 0.0

    @classmethod
    def of(cls, values: Tensor) -> LossSums:
        """The sums that `Objective.forward` gives as one tensor."""
        return cls(*values.tolist())

    def __add__(self, other: LossSums) -> LossSums:
        return LossSums(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def metrics(self) -> dict[str, float]:
        """Means by the names of the curves, without those of which there is nothing."""
        tokens = max(self.tokens, 1.0)
        metrics = {
            "loss": self.loss / tokens,
            "nll": self.nll / tokens,
            "perplexity": math.exp(min(self.nll / tokens, 700)),  # e^710 is beyond a float
        }
        if self.tags:
            metrics["tag_nll"] = self.tag_nll / self.tags
            metrics["tag_accuracy"] = self.tags_right / self.tags
        if self.aligned:
            metrics["alignment_nll"] = self.alignment_nll / self.aligned
        return metrics


NUM_SUMS = len(fields(LossSums))


@dataclass(frozen=True)
class LossWeights:
    """ε of label smoothing, λ of the tag NLL, λ_a of the alignment NLL."""

    label_smoothing: float
    tags: float
    alignment: float


class Objective(nn.Module):
    """The model and its loss as one module, so that devices, DDP and bf16 wrap both."""

    def __init__(self, model: EncoderDecoder, weights: LossWeights) -> None:
        super().__init__()
        self.model = model
        self.weights = weights

    def forward(self, tensors: Mapping[str, Tensor | dict[str, Tensor]]) -> tuple[Tensor, Tensor]:
        """The loss of a batch, summed over its tokens and phrases.

        Args:
            tensors: the fields of a `Batch` (Fabric can't look into a frozen dataclass).

        Returns:
            () the loss to differentiate; (`NUM_SUMS`,) float64 `LossSums`, detached.
        """
        batch = Batch(**tensors)  # type: ignore[arg-type]
        output = self.model(batch, need_alignment=self.model.alignment_head is not None)
        smoothed, nll = translation_nll(
            output.logits, batch.target_output, label_smoothing=self.weights.label_smoothing
        )
        tag_loss, tags, tags_right = tag_nll(output.tag_logits, batch.tags, like=nll)
        alignment_loss, aligned = alignment_nll(output.alignment, batch.links, like=nll)
        loss = smoothed + self.weights.tags * tag_loss
        if output.alignment is not None:
            # The sampled sentences stand for the whole batch.
            share = len(output.alignment.log_weights) / len(batch.index)
            loss = loss + self.weights.alignment / share * alignment_loss
        tokens = (batch.target_output != PAD).sum()
        sums = (loss, nll, tokens, tag_loss, tags, tags_right, alignment_loss, aligned)
        return loss, torch.stack([value.detach().double() for value in sums])


def translation_nll(
    logits: Tensor, target: Tensor, *, label_smoothing: float
) -> tuple[Tensor, Tensor]:
    """NLL of the target summed over its tokens, with and without label smoothing.

    Args:
        logits: (B, T, V).
        target: (B, T) ids, `PAD` where there is nothing to predict.

    Returns:
        () smoothed: (1 − ε) · NLL + ε · mean over the vocabulary of −log p; () NLL, detached.
    """
    smoothed, nll = _SmoothedNll.apply(logits.flatten(0, 1), target.flatten(), label_smoothing)
    return smoothed, nll


class _SmoothedNll(torch.autograd.Function):
    """`F.cross_entropy(…, label_smoothing=ε, reduction="sum")` and the NLL without smoothing.

    Equal to torch's (tested), which does not give the plain NLL and makes several more passes over
    tokens × V numbers, much of a small model's work. Here the gradient p − (1 − ε) · gold − ε / V
    is written over the log probabilities.
    """

    @staticmethod
    def forward(
        ctx: FunctionCtx, logits: Tensor, gold: Tensor, smoothing: float
    ) -> tuple[Tensor, Tensor]:
        log_p = F.log_softmax(logits, dim=-1, dtype=torch.float32)
        nll = F.nll_loss(log_p, gold, ignore_index=PAD, reduction="sum")
        uniform = -log_p.mean(dim=-1).masked_fill(gold == PAD, 0.0).sum()
        ctx.save_for_backward(log_p, gold)
        ctx.smoothing = smoothing  # type: ignore[attr-defined]
        ctx.mark_non_differentiable(nll)
        return (1 - smoothing) * nll + smoothing * uniform, nll

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, scale: Tensor, _: Tensor) -> tuple[Tensor, None, None]:
        log_p, gold = ctx.saved_tensors
        gradient = log_p.exp_().sub_(ctx.smoothing / log_p.shape[1])
        of_gold = torch.full_like(gold, ctx.smoothing - 1, dtype=gradient.dtype)
        gradient.scatter_add_(1, gold[:, None], of_gold[:, None])
        return gradient.mul_((scale * (gold != PAD))[:, None]), None, None


def tag_nll(
    tag_logits: Mapping[str, Tensor], tags: Mapping[str, Tensor], *, like: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """NLL of the tags summed over the phrases of all granularities, and how many are right.

    Args:
        tag_logits: (B, M, number of tags) by granularity and layer (`syntactic_1`,
            `syntactic_1@3`); may be empty.
        tags: (B, M) by granularity, `NO_PHRASE` where there is none.
        like: gives the sums' device and type.

    Returns:
        () NLL, () phrases that have a tag, () phrases whose most probable tag is right.
    """
    nll, count, right = like.new_zeros(()), like.new_zeros(()), like.new_zeros(())
    for name, logits in tag_logits.items():
        gold = tags[name.partition("@")[0]]
        nll = nll + F.cross_entropy(
            logits.flatten(0, 1).float(), gold.flatten(), ignore_index=NO_PHRASE, reduction="sum"
        )
        count = count + (gold != NO_PHRASE).sum()
        right = right + (logits.argmax(dim=-1) == gold).sum()
    return nll, count, right


def alignment_nll(
    alignment: HeadAlignment | None, links: Tensor, *, like: Tensor
) -> tuple[Tensor, Tensor]:
    """Cross-entropy of alignments, summed over the target tokens that have links (equation 4).

    The links of a target token share its weight of 1 equally. Tokens without links have no weight,
    nor have sentences that were not sampled.

    Args:
        alignment: of the head; `None`: there is none.
        links: (links, 3) sentence, target position, source position, each once.
        like: gives the sums' device and type.

    Returns:
        () the cross-entropy, () how many target tokens have links.
    """
    if alignment is None:
        return like.new_zeros(()), like.new_zeros(())
    log_weights = alignment.log_weights
    place, target, source = links.unbind(dim=1)
    if alignment.places is not None:
        place = alignment.places[place]
    # Weighted, not filtered: the size of a filter's result would synchronise with the GPU.
    drawn = (place >= 0).to(log_weights.dtype)
    place = place.clamp(min=0)
    token = place * log_weights.shape[1] + target
    counts = log_weights.new_zeros(log_weights.shape[:2].numel()).index_add(0, token, drawn)
    shares = drawn / counts[token].clamp(min=1)
    return -(shares * log_weights[place, target, source]).sum(), (counts > 0).sum()
