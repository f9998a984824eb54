"""Accuracies without a tree: the most frequent category, a classifier of the source's words.

Both learn the categories of the contrasts of `train`, and take it that a category says what is
right, as in the sample. The classifier is L2-regularised logistic regression.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from pathlib import Path

import torch
from torch import Tensor, nn

from pipeline.formats.contrasts import Contrast, contrasts_of
from pipeline.formats.text import read_sentences

TRAIN = "train"
RAREST = 2
"""Training contrasts that a feature must occur in."""
PENALTY = 10.0
"""Weight of half the squared weights beside the summed loss."""
STEPS = 50
"""L-BFGS iterations, at most."""
Features = frozenset[str]


Tokenize = Callable[[str], list[str]]


def baselines(
    corpus: Path,
    split: str,
    contrasts: Sequence[Contrast],
    tokenize: Tokenize,
    folder: Path | None = None,
) -> dict[str, list[bool]]:
    """For each baseline, whether it predicts each contrast's category; `tokenize` is the source's.

    Empty for `train`, without `train.contrast` in `folder`, if not in the corpus, and for
    categories that it lacks.
    """
    learned = [] if split == TRAIN else contrasts_of(corpus, TRAIN, folder)
    categories = [contrast.category for contrast in learned]
    if {contrast.category for contrast in contrasts}.isdisjoint(categories):
        return {}
    ((frequent, _),) = Counter(categories).most_common(1)
    seen = _features(corpus, TRAIN, learned, tokenize)
    asked = _features(corpus, split, contrasts, tokenize)
    predicted = classify(seen, categories, asked)
    return {
        "words": [one.category == found for one, found in zip(contrasts, predicted, strict=True)],
        "most_frequent": [one.category == frequent for one in contrasts],
    }


def _features(
    corpus: Path, split: str, contrasts: Sequence[Contrast], tokenize: Tokenize
) -> list[Features]:
    """The features of each contrast's source."""
    lines = {contrast.line for contrast in contrasts}
    texts = enumerate(read_sentences(corpus / f"{split}.source"), start=1)
    found = {line: features(tokenize(text.lower())) for line, text in texts if line in lines}
    return [found[contrast.line] for contrast in contrasts]


def features(words: Sequence[str]) -> Features:
    """The words, neighbours, and pairs with a word between them."""
    around = zip(words, words[2:], strict=False)
    return frozenset([*words, *map(" ".join, pairwise(words)), *map(" … ".join, around)])


def classify(
    train: Sequence[Features], labels: Sequence[str], asked: Sequence[Features]
) -> list[str]:
    """The label of each set of features; weights begin at zero, so that nothing is drawn."""
    counts = Counter(chain.from_iterable(train))
    known = sorted(name for name, count in counts.items() if count >= RAREST)
    column, classes = {name: place for place, name in enumerate(known)}, sorted(set(labels))
    weights = torch.zeros(len(known), len(classes), requires_grad=True)
    bias = torch.zeros(len(classes), requires_grad=True)
    expected = torch.tensor([classes.index(label) for label in labels])

    def matrix(examples: Sequence[Features]) -> Tensor:
        """(examples, features) sparse, ones and zeros."""
        cells = [(i, column[n]) for i, names in enumerate(examples) for n in names if n in column]
        places = torch.tensor(cells, dtype=torch.long).reshape(-1, 2).T
        ones, shape = torch.ones(len(cells)), (len(examples), len(known))
        return torch.sparse_coo_tensor(places, ones, shape, check_invariants=True).coalesce()

    seen = matrix(train)
    optimizer = torch.optim.LBFGS([weights, bias], max_iter=STEPS, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        nll = nn.functional.cross_entropy(seen @ weights + bias, expected, reduction="sum")
        total = nll + PENALTY / 2 * weights.square().sum()
        total.backward()
        return total

    optimizer.step(loss)
    with torch.inference_mode():
        return [classes[index] for index in (matrix(asked) @ weights + bias).argmax(dim=1)]
