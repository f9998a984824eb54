"""What is known of contrasts without a tree: the most frequent category, a classifier of words.

Both learn the categories of the contrasts of `train`, and take it that a category says what is
right, as in the sample. The classifier is logistic regression on the words of the source.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from pipeline.formats.contrasts import Contrast, contrasts_of
from pipeline.formats.text import read_sentences

TRAIN = "train"
RAREST = 2
"""Training contrasts that a feature must occur in."""
PENALTIES = (1000.0, 100.0, 10.0, 1.0)
"""Of weights: of which the best one on held-out contrasts of `train` is taken."""
HELD_OUT = 5
"""Every so many."""
STEPS = 50
"""Of L-BFGS, at most."""
Features = frozenset[str]


def baselines(corpus: Path, split: str, contrasts: Sequence[Contrast]) -> dict[str, list[bool]]:
    """By name, of which contrasts it gives the right category; none of `train`, or without it."""
    learned = [] if split == TRAIN else contrasts_of(corpus, TRAIN)
    if not learned:
        return {}
    categories = [contrast.category for contrast in learned]
    ((frequent, _),) = Counter(categories).most_common(1)
    seen, asked = _features(corpus, TRAIN, learned), _features(corpus, split, contrasts)
    predicted = classify(seen, categories, asked)
    return {
        "words": [one.category == found for one, found in zip(contrasts, predicted, strict=True)],
        "most_frequent": [one.category == frequent for one in contrasts],
    }


def _features(corpus: Path, split: str, contrasts: Sequence[Contrast]) -> list[Features]:
    """The features of each contrast's source."""
    lines = {contrast.line for contrast in contrasts}
    texts = enumerate(read_sentences(corpus / f"{split}.source"), start=1)
    found = {line: features(text) for line, text in texts if line in lines}
    return [found[contrast.line] for contrast in contrasts]


def features(text: str) -> Features:
    """The words of a text, neighbours, and pairs with a word between them."""
    words = re.findall(r"\w+|[^\w\s]", text.lower())
    around = zip(words, words[2:], strict=False)
    return frozenset([*words, *map(" ".join, pairwise(words)), *map(" … ".join, around)])


def classify(
    train: Sequence[Features], labels: Sequence[str], asked: Sequence[Features]
) -> list[str]:
    """The label of each set of features, by what predicts labels of `train` best, held out."""
    held = range(0, len(train), HELD_OUT)
    rest = [i for i in range(len(train)) if i % HELD_OUT] or held

    def right(penalty: float) -> int:
        of_rest = [train[i] for i in rest], [labels[i] for i in rest]
        found = regress(*of_rest, [train[i] for i in held], penalty)
        return sum(labels[i] == label for i, label in zip(held, found, strict=True))

    return regress(train, labels, asked, max(PENALTIES, key=right))


def regress(
    train: Sequence[Features], labels: Sequence[str], asked: Sequence[Features], penalty: float
) -> list[str]:
    """The label of each set of features by logistic regression on `train`.

    The loss is summed, and `penalty` is of half the squared weights. It is convex, and weights
    begin at zero: nothing is drawn.
    """
    counts = Counter(name for names in train for name in names)
    known = sorted(name for name, count in counts.items() if count >= RAREST)
    numbers = {name: number for number, name in enumerate(known, start=1)}  # 0: in all of them
    classes = sorted(set(labels))
    weights = nn.Parameter(torch.zeros(len(numbers) + 1, len(classes)))
    expected = torch.tensor([classes.index(label) for label in labels])

    def numbered(examples: Sequence[Features]) -> tuple[Tensor, Tensor]:
        """All features end to end, and where those of each example begin."""
        rows = [[0, *sorted(numbers[n] for n in names if n in numbers)] for names in examples]
        starts = np.cumsum([0, *map(len, rows[:-1])])
        return torch.tensor([*chain.from_iterable(rows)]), torch.from_numpy(starts)

    def logits(examples: tuple[Tensor, Tensor]) -> Tensor:
        """(examples, classes)"""
        return nn.functional.embedding_bag(examples[0], weights, examples[1], mode="sum")

    seen = numbered(train)
    optimizer = torch.optim.LBFGS([weights], max_iter=STEPS, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        nll = nn.functional.cross_entropy(logits(seen), expected, reduction="sum")
        total = nll + penalty / 2 * weights[1:].square().sum()
        total.backward()
        return total

    optimizer.step(loss)
    with torch.inference_mode():
        return [classes[index] for index in logits(numbered(asked)).argmax(dim=1).tolist()]
