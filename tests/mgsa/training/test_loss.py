"""The loss, against tables a person can check and against torch's own."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from mgsa.data.batch import NO_PHRASE, Batch, Row, make_batch
from mgsa.data.vocabulary import PAD
from mgsa.model.build import build_model
from mgsa.model.joint_alignment import AlignmentHead, HeadAlignment
from mgsa.training.loss import (
    BLOCK_LOGITS,
    LossSums,
    LossWeights,
    Objective,
    alignment_nll,
    gate_nll,
    tag_nll,
    translation_nll,
)
from tests.random_rows import NUM_TAGS, TRANSFORMER, VOCABULARY, with_alignment

# Of a vocabulary of five, four of which carry ids of special symbols.
PROBABILITIES = [
    [0.1, 0.1, 0.1, 0.2, 0.5],  # target 4
    [0.2, 0.2, 0.2, 0.2, 0.2],  # target 2
    [0.9, 0.025, 0.025, 0.025, 0.025],  # padding
]
TARGET = torch.tensor([[4, 2, PAD]])


@pytest.mark.parametrize(
    ("smoothing", "expected"),
    [
        # −ln 0.5 − ln 0.2
        (0.0, 0.693147 + 1.609438),
        # Row 1: 0.9 · 0.693147 + 0.1 · mean(2.302585 · 3, 1.609438, 0.693147); row 2: −ln 0.2.
        (0.1, 0.9 * 0.693147 + 0.1 * 1.842068 + 1.609438),
        # Row 1: half the NLL, half the mean over the vocabulary.
        (0.5, 0.5 * 0.693147 + 0.5 * 1.842068 + 1.609438),
    ],
)
def test_label_smoothing_by_hand(smoothing: float, expected: float) -> None:
    logits = torch.log(torch.tensor([PROBABILITIES])) + 3.0  # a shift changes no probability
    same = nn.Linear(5, 5, bias=False)
    nn.init.eye_(same.weight)
    smoothed, nll = translation_nll(logits, same, TARGET, label_smoothing=smoothing)
    assert smoothed.item() == pytest.approx(expected, abs=1e-5)
    assert nll.item() == pytest.approx(0.693147 + 1.609438, abs=1e-5)


@pytest.mark.parametrize("sentences", [3, 200])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_is_torchs_cross_entropy_and_so_are_its_gradients(
    sentences: int, smoothing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BLOCK_LOGITS, False, 1)  # blocks are as small as they get
    torch.manual_seed(1)
    states = torch.randn(sentences, 7, 5, requires_grad=True)
    output = nn.Linear(5, 11)
    target = torch.randint(0, 11, (sentences, 7))
    ours, _ = translation_nll(states, output, target, label_smoothing=smoothing)
    torchs = F.cross_entropy(
        output(states).flatten(0, 1),
        target.flatten(),
        ignore_index=PAD,
        label_smoothing=smoothing,
        reduction="sum",
    )
    assert ours.item() == pytest.approx(torchs.item(), rel=1e-6)
    with torch.no_grad():
        again, _ = translation_nll(states, output, target, label_smoothing=smoothing)
    assert again.equal(ours)
    inputs = [states, *output.parameters()]
    torch.testing.assert_close(
        torch.autograd.grad(0.25 * ours, inputs),
        torch.autograd.grad(0.25 * torchs, inputs),
        rtol=1e-4,
        atol=1e-5,
    )


def test_tags_of_all_granularities_add_up() -> None:
    # Two classes with probabilities 3/4 and 1/4 wherever a phrase is.
    logits = torch.log(torch.tensor([0.75, 0.25])).expand(1, 3, 2)
    tags = {
        "syntactic_1": torch.tensor([[0, 1, NO_PHRASE]]),
        "syntactic_2": torch.tensor([[0, NO_PHRASE, NO_PHRASE]]),
    }
    nll, count, right = tag_nll(dict.fromkeys(tags, logits), tags, like=logits)
    assert nll.item() == pytest.approx(-2 * math.log(0.75) - math.log(0.25))
    assert (count.item(), right.item()) == (3, 2)


def test_a_gate_learns_which_phrases_have_tags() -> None:
    """Three sentences, the second with phrase noise, by two gates."""
    logits = torch.tensor([2.0, 1.0, -1.0]), torch.tensor([0.5, -3.0, 0.5])
    tags = {
        "syntactic_1": torch.tensor([[1, 0], [NO_PHRASE, NO_PHRASE], [0, NO_PHRASE]]),
        "syntactic_2": torch.tensor([[1], [NO_PHRASE], [0]]),
    }
    p = [[each.sigmoid().item() for each in gate] for gate in logits]
    nll, count, right = gate_nll(logits, tags, like=logits[0])
    assert nll.item() == pytest.approx(
        -sum(math.log(a) + math.log(1 - b) + math.log(c) for a, b, c in p)
    )
    assert (count.item(), right.item()) == (6, 4)


@dataclass(frozen=True)
class Output:
    states: Tensor
    output: nn.Linear
    tag_logits: dict[str, Tensor]
    gate_logits: tuple[Tensor, ...]
    alignment: HeadAlignment | None


class UniformModel(nn.Module):
    """Gives every subword, each of four tags, and each of four positions, the same probability."""

    alignment_head = AlignmentHead(layer=1, full_context=False, sentences=1.0)

    def forward(self, batch: Batch, *, need_alignment: bool) -> Output:
        phrases = batch.tags["syntactic_1"].shape
        alignment = torch.full((*batch.target_output.shape, 4), math.log(1 / 4))
        return Output(
            states=torch.zeros(*batch.target_output.shape, 3),
            output=nn.Linear(3, 10, bias=False),
            tag_logits={"syntactic_1": torch.zeros(*phrases, 4)},
            gate_logits=(torch.zeros(phrases[0]),),
            alignment=HeadAlignment(alignment, None) if need_alignment else None,
        )


def test_the_objective_weighs_and_reports_the_parts() -> None:
    links = [(0, 1), (2, 1), (1, 0)], [(0, 3)]
    rows = [
        Row(0, [5, 6, 7], [4, 5], [1, 1, 1], [[2, 1]], [[1, 2]], links=links[0]),
        Row(1, [5], [4, 5, 6, 7], [1], [[1]], [[3]], links=links[1]),
    ]
    batch = make_batch(rows, ["syntactic_1"], ngram_unit="subword")
    weights = LossWeights(label_smoothing=0.1, tags=0.5, alignment=0.25)
    objective = Objective(UniformModel(), weights)  # type: ignore[arg-type]
    loss, sums = objective(vars(batch))
    # 3 + 5 target tokens with end of sentence; 2 + 1 tagged phrases; 2 + 1 target tokens that have
    # links, however many. Smoothing changes no uniform.
    nll, tags, alignment = 8 * math.log(10), 3 * math.log(4), 3 * math.log(4)
    assert loss.item() == pytest.approx(nll + 0.5 * tags + 0.25 * alignment + 2 * math.log(2))
    assert sums.tolist() == pytest.approx([loss.item(), nll, 8, tags, 3, 0, alignment, 3, 2, 0])
    total = LossSums(*sums.tolist()) + LossSums(loss=8.0, tokens=8.0)
    assert total.metrics() == pytest.approx(
        {
            "loss": (loss.item() + 8) / 16,
            "nll": math.log(10) / 2,
            "perplexity": 10**0.5,
            "tag_nll": math.log(4),
            "tag_accuracy": 0,
            "gate_accuracy": 0,
            "alignment_nll": math.log(4),
        }
    )
    assert LossSums(2, 1, 1).metrics() == pytest.approx({"loss": 2, "nll": 1, "perplexity": math.e})


def test_the_links_of_a_target_token_share_its_weight() -> None:
    # One sentence, two target tokens; the first has two links, the second one.
    alignment = torch.tensor([[[0.5, 0.25, 0.25], [0.125, 0.125, 0.75]]]).log()
    links = torch.tensor([[0, 0, 0], [0, 0, 1], [0, 1, 2]])
    nll, aligned = alignment_nll(HeadAlignment(alignment, None), links, like=alignment)
    expected = -(0.5 * math.log(0.5) + 0.5 * math.log(0.25)) - math.log(0.75)
    assert nll.item() == pytest.approx(expected)
    assert aligned.item() == 2


def test_a_target_token_without_links_is_left_out() -> None:
    alignment = torch.tensor([[[0.5, 0.5], [0.25, 0.75]]]).log().requires_grad_()
    of_head = HeadAlignment(alignment, None)
    nll, aligned = alignment_nll(of_head, torch.tensor([[0, 1, 0]]), like=alignment)
    (gradient,) = torch.autograd.grad(nll, alignment)
    assert nll.item() == pytest.approx(-math.log(0.25))
    assert aligned.item() == 1
    assert gradient.tolist() == [[[0, 0], [-1, 0]]]


def test_sentences_that_were_not_drawn_are_left_out() -> None:
    # Of three sentences of two target tokens the last and the first were drawn, in this order.
    log_weights = torch.rand(2, 2, 3, generator=torch.manual_seed(0)).log_softmax(dim=-1)
    drawn = HeadAlignment(log_weights, places=torch.tensor([1, -1, 0]))
    links = torch.tensor([[0, 0, 0], [0, 0, 2], [1, 0, 0], [1, 1, 1], [2, 1, 1]])
    nll, aligned = alignment_nll(drawn, links, like=log_weights)
    first = -(log_weights[1, 0, 0] + log_weights[1, 0, 2]) / 2
    assert nll.item() == pytest.approx(float(first - log_weights[0, 1, 1]))
    assert aligned.item() == 2


def test_the_sentences_that_are_drawn_stand_for_all_of_the_batch() -> None:
    """Four times the same sentence: any two of them have half of the loss."""
    row = Row(0, [5, 6, 7], [4, 5], [1, 1, 1], [], [], links=[(0, 1), (2, 1), (1, 0)])
    batch = make_batch([row] * 4, [], ngram_unit="subword")
    weights = LossWeights(label_smoothing=0.1, tags=0.0, alignment=0.5)
    losses = []
    for sentences in (1.0, 0.5):
        torch.manual_seed(0)
        config = with_alignment(TRANSFORMER, full_context=True, sentences=sentences)
        model = build_model(
            config, source_vocabulary=VOCABULARY, target_vocabulary=VOCABULARY, num_tags=NUM_TAGS
        )
        loss, sums = Objective(model.train(), weights)(vars(batch))  # there is no dropout
        losses.append(loss.item())
        assert LossSums(*sums.tolist()).aligned == 8 * sentences
    assert losses[1] == pytest.approx(losses[0])
