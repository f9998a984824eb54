"""The loss: translation NLL + λ · tag NLL + λ_a · alignment NLL (+ gate NLL).

The tag term is that of Hao et al. 2019, section 3, the alignment term that of Garg et al. 2019,
equation 5. Terms are sums over target tokens, phrases and aligned target tokens; the trainer
divides all by an update's target tokens, as Garg et al. do by a sentence's. With a gate of phrases
comes the NLL of what it says of each sentence, which weighs as much as a target token.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.func import functional_call
from torch.nn import functional as F

from mgsa.data.batch import NO_PHRASE, Batch
from mgsa.data.vocabulary import PAD
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.model.joint_alignment import HeadAlignment
from mgsa.operators import BLOCK


@dataclass(frozen=True)
class LossSums:
    """Sums over batches; they can be added."""

    loss: float = 0.0  #: the objective, with the label-smoothed NLL.
    nll: float = 0.0  #: NLL of the target, not smoothed.
    tokens: float = 0.0  #: target tokens, end of sentence included.
    tag_nll: float = 0.0  #: NLL of tags, over all syntactic granularities.
    tags: float = 0.0  #: phrases with a tag.
    tags_right: float = 0.0  #: phrases whose most probable tag is right.
    alignment_nll: float = 0.0  #: cross-entropy of alignments.
    aligned: float = 0.0  #: target tokens with links.
    gates: float = 0.0  #: sentences, once for each gate of phrases.
    gates_right: float = 0.0  #: those whose gate says rightly whether the phrases are a tree's.

    def __add__(self, other: LossSums) -> LossSums:
        return LossSums(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def metrics(self) -> dict[str, float]:
        """Means, by their names in the curves; terms without data are left out."""
        tokens = max(self.tokens, 1.0)
        metrics = {
            "loss": self.loss / tokens,
            "nll": self.nll / tokens,
            "perplexity": math.exp(min(self.nll / tokens, 700)),  # e^710 overflows
        }
        if self.tags:
            metrics["tag_nll"] = self.tag_nll / self.tags
            metrics["tag_accuracy"] = self.tags_right / self.tags
        if self.gates:
            metrics["gate_accuracy"] = self.gates_right / self.gates
        if self.aligned:
            metrics["alignment_nll"] = self.alignment_nll / self.aligned
        return metrics


BLOCK_LOGITS = {False: 1 << 21, True: 1 << 27}
"""How many are computed at a time, by whether it is a GPU."""
NUM_SUMS = len(fields(LossSums))


@dataclass(frozen=True)
class LossWeights:
    """ε of label smoothing, λ of the tag NLL, λ_a of the alignment NLL."""

    label_smoothing: float
    tags: float
    alignment: float


class Objective(nn.Module):
    """The model and its loss as one module, to be wrapped by DDP and precision."""

    def __init__(self, model: EncoderDecoder, weights: LossWeights) -> None:
        super().__init__()
        self.model = model
        self.weights = weights

    def forward(self, tensors: Mapping[str, Tensor | dict[str, Tensor]]) -> tuple[Tensor, Tensor]:
        """() the loss of a batch, and (`NUM_SUMS`,) its float64 `LossSums`, detached.

        `tensors` are the fields of a `Batch` (Fabric moves no frozen dataclass).
        """
        batch = Batch(**tensors)  # type: ignore[arg-type]
        output = self.model(batch, need_alignment=True)
        smoothed, nll = translation_nll(
            output.states,
            output.output,
            batch.target_output,
            label_smoothing=self.weights.label_smoothing,
        )
        tag_loss, tags, tags_right = tag_nll(output.tag_logits, batch.tags, like=nll)
        alignment_loss, aligned = alignment_nll(output.alignment, batch.links, like=nll)
        gate_loss, gates, gates_right = gate_nll(output.gate_logits, batch.tags, like=nll)
        loss = smoothed + self.weights.tags * tag_loss + gate_loss
        if output.alignment is not None:
            # Scaled from the sampled sentences to the whole batch.
            share = len(output.alignment.log_weights) / len(batch.index)
            loss = loss + self.weights.alignment / share * alignment_loss
        tokens = (batch.target_output != PAD).sum()
        sums = (
            *(loss, nll, tokens, tag_loss, tags, tags_right),
            *(alignment_loss, aligned, gates, gates_right),
        )
        return loss, torch.stack([value.detach().double() for value in sums])


def translation_nll(
    states: Tensor, output: nn.Linear, target: Tensor, *, label_smoothing: float
) -> tuple[Tensor, Tensor]:
    """() smoothed and () plain NLL of target (B, T), `PAD` excluded.

    Given are the decoder's states (B, T, D) and their map to logits (B, T, V). Smoothed: (1 − ε) ·
    NLL + ε · mean over the vocabulary of −log p. The plain NLL is detached.

    This is Szegedy et al. 2016, section 7, as cited by Vaswani et al. 2017, section 5.4: ε / V for
    every symbol, also the gold one and those that never are (`PAD`, `BOS`). So do torch and fairseq
    as Garg et al. 2019 had it. Of tensor2tensor's ε / (V − 1) for all but the gold symbol, and
    OpenNMT-py's ε / (V − 2) for all but that and padding, it differs by ε / V at most.
    """
    x, gold = states.flatten(0, 1), target.flatten()
    if torch.compiler.is_compiling():
        return _SmoothedNll.apply(output(x), gold, label_smoothing)
    learns = torch.is_grad_enabled()
    return _BlockwiseNll.apply(x, gold, label_smoothing, output, learns, *output.parameters())


class _BlockwiseNll(torch.autograd.Function):
    """`_SmoothedNll`, block of rows after block.

    Gradients are computed with the loss, so that only one block's logits are held at a time, and
    those lie in the cache.
    """

    apply: ClassVar[Callable[..., tuple[Tensor, Tensor]]]

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        gold: Tensor,
        smoothing: float,
        output: nn.Linear,
        learns: bool,
        *parameters: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """x (rows, D), gold (rows,)."""
        copies = [value.detach().requires_grad_(learns) for value in parameters]
        named = {
            name: copy for (name, _), copy in zip(output.named_parameters(), copies, strict=True)
        }
        rows = max(256, BLOCK_LOGITS[x.is_cuda] // output.out_features // BLOCK * BLOCK)
        blocks = [block.detach().requires_grad_(learns) for block in x.split(rows)]
        sums = []
        for block, of_block in zip(blocks, gold.split(rows), strict=True):
            with torch.set_grad_enabled(learns):
                logits = functional_call(output, named, block)
                smoothed, nll = _SmoothedNll.apply(logits, of_block, smoothing)
                if learns:
                    smoothed.backward()
            sums.append(torch.stack([smoothed.detach(), nll]))
        if learns:
            ctx.save_for_backward(
                torch.cat([block.grad for block in blocks]), *(copy.grad for copy in copies)
            )
        smoothed, nll = torch.stack(sums).sum(dim=0)
        ctx.mark_non_differentiable(nll)
        return smoothed, nll

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, scale: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        of_x, *of_parameters = (gradient * scale for gradient in ctx.saved_tensors)
        return of_x, None, None, None, None, *of_parameters


class _SmoothedNll(torch.autograd.Function):
    """`F.cross_entropy(…, label_smoothing=ε, reduction="sum")`, and the plain NLL.

    torch gives no plain NLL and takes several more passes over tokens × V numbers. The gradient
    p − (1 − ε) · gold − ε / V overwrites the log probabilities.
    """

    apply: ClassVar[Callable[..., tuple[Tensor, Tensor]]]

    @staticmethod
    def forward(ctx: Any, logits: Tensor, gold: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
        wide = torch.promote_types(logits.dtype, torch.float32)
        log_p = F.log_softmax(logits, dim=-1, dtype=wide)
        nll = F.nll_loss(log_p, gold, ignore_index=PAD, reduction="sum")
        uniform = -log_p.mean(dim=-1).masked_fill(gold == PAD, 0.0).sum()
        ctx.save_for_backward(log_p, gold)
        ctx.smoothing = smoothing
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
    """() NLL of tags, () number of phrases with a tag, () number of right predictions.

    Args:
        tag_logits: (B, M, number of tags), as in `EncoderOutput`; may be empty.
        tags: (B, M) by granularity, `NO_PHRASE` where there is none.
        like: a tensor of the sums' device and type.
    """
    nll, count, right = like.new_zeros(()), like.new_zeros(()), like.new_zeros(())
    for name, logits in tag_logits.items():
        gold = tags[name.partition("@")[0]]
        nll = nll + F.cross_entropy(
            logits.flatten(0, 1).to(nll.dtype),
            gold.flatten(),
            ignore_index=NO_PHRASE,
            reduction="sum",
        )
        count = count + (gold != NO_PHRASE).sum()
        right = right + (logits.argmax(dim=-1) == gold).sum()
    return nll, count, right


def gate_nll(
    gate_logits: Sequence[Tensor], tags: Mapping[str, Tensor], *, like: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """() NLL of whether phrases are a tree's, () number of verdicts, () number of right ones.

    Args:
        gate_logits: (B,), as in `EncoderOutput`; may be empty.
        tags: as for `tag_nll`; phrase noise has none.
        like: a tensor of the sums' device and type.
    """
    nll, count, right = like.new_zeros(()), like.new_zeros(()), like.new_zeros(())
    for logits in gate_logits:
        is_tree = (torch.cat([*tags.values()], dim=1) != NO_PHRASE).any(dim=1)
        nll = nll + F.binary_cross_entropy_with_logits(
            logits.to(nll.dtype), is_tree.to(nll.dtype), reduction="sum"
        )
        count = count + is_tree.numel()
        right = right + ((logits > 0) == is_tree).sum()
    return nll, count, right


def alignment_nll(
    alignment: HeadAlignment | None, links: Tensor, *, like: Tensor
) -> tuple[Tensor, Tensor]:
    """() cross-entropy of alignments (equation 4), () number of target tokens with links.

    The links of a target token share its weight of 1 equally; sentences that were not sampled have
    no weight.

    Args:
        links: (links, 3) sentence, target position, source position, each once.
        like: a tensor of the sums' device and type.
    """
    if alignment is None:
        return like.new_zeros(()), like.new_zeros(())
    log_weights = alignment.log_weights
    row, target, source = links.unbind(dim=1)
    if alignment.places is not None:
        row = alignment.places[row]
    # Weighted, not filtered: a filter's result size would synchronise with the GPU.
    drawn = (row >= 0).to(log_weights.dtype)
    row = row.clamp(min=0)
    token = row * log_weights.shape[1] + target
    counts = log_weights.new_zeros(log_weights.shape[:2].numel()).index_add(0, token, drawn)
    shares = drawn / counts[token].clamp(min=1)
    return -(shares * log_weights[row, target, source]).sum(), (counts > 0).sum()
