"""The classifier, and what it is given of a batch."""

from __future__ import annotations

import torch

from mgsa.probing.classifier import Classifier, labelled, sentence_means


def test_means_leave_padding_out_whatever_stands_there() -> None:
    states = torch.tensor([[[1.0], [3.0], [float("nan")]], [[2.0], [4.0], [9.0]]])
    mask = torch.tensor([[True, True, False], [True, True, True]])[:, None, None]
    assert sentence_means(states, mask).tolist() == [[2.0], [5.0]]


def test_what_has_no_label_is_left_out() -> None:
    states = torch.arange(12.0).view(2, 3, 2)
    mask = torch.ones(2, 1, 1, 3, dtype=torch.bool)
    vectors, classes, sentences = labelled(states, mask, torch.tensor([[4, -1, 2], [-1, 0, -1]]))
    assert vectors.tolist() == [[0, 1], [4, 5], [8, 9]]
    assert (classes.tolist(), sentences.tolist()) == ([4, 2, 0], [0, 0, 1])
    vectors, classes, sentences = labelled(states, mask, torch.tensor([-1, 1]))
    assert vectors.tolist() == [[8, 9]]
    assert (classes.tolist(), sentences.tolist()) == ([1], [1])


def test_dropout_is_drawn_from_its_generator_alone() -> None:
    torch.manual_seed(0)
    classifier = Classifier(4, 3, hidden=64, dropout=0.5)
    x = torch.randn(5, 4)

    def drawn(seed: int) -> torch.Tensor:
        return classifier(x, generator=torch.Generator().manual_seed(seed))

    assert torch.equal(drawn(1), drawn(1))
    assert not torch.equal(drawn(1), drawn(2))
    assert torch.equal(classifier(x), classifier(x))
    mean = torch.stack([drawn(seed) for seed in range(2000)]).mean(dim=0)
    assert torch.allclose(mean, classifier(x), atol=0.05)
