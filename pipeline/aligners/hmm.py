"""IBM model 1 (Brown et al. 1993) and the hidden Markov alignment model (Vogel et al. 1996).

The hidden state is the given word that generated each word. A jump from place k to place i has a
weight of its width i - k; the weights of all jumps from k are normalised. The first jump is from
the place before the sentence, the last one to the place after it: without that one, a full stop is
lost whose neighbour comes from somewhere else. Each place has a null state (Och & Ney 2003): a word
of the null word leaves the place as it was.

Legend: see `pipeline.aligners.bitext`. Jumps are from I + 1 places, the one before the sentence and
each word, and to I + 1 places, each word and the one after the sentence.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

LONGEST_JUMP = 20
"""Jumps of this width and beyond, in each direction, have one weight."""
UNIFORM_JUMPS = np.ones(2 * LONGEST_JUMP + 1)
"""Weights of the widths -LONGEST_JUMP to LONGEST_JUMP by which all places are equally likely."""
SMALLEST = 1e-30
"""Least translation probability, so that every word can be generated."""


def estimated_lexicon(counts: np.ndarray, given: np.ndarray, prior: float) -> np.ndarray:
    """p(generated word | given word) of word pairs from their expected counts, (entries,).

    For a prior of 0 by maximum likelihood, under which rare words collect the translations of their
    neighbours; otherwise by variational Bayes with a symmetric Dirichlet prior (Riley & Gildea
    2012).

    Args:
        given: (entries,) the id of the given word of each.
    """
    totals = np.maximum(np.bincount(given, counts + prior), SMALLEST)  # 0 for words of no pair
    if prior:
        found = np.exp(_digamma(counts + prior) - _digamma(totals)[given])
    else:
        found = counts / totals[given]
    return np.maximum(found, SMALLEST)


def _digamma(numbers: np.ndarray) -> np.ndarray:
    import torch

    found: np.ndarray = torch.from_numpy(numbers).digamma().numpy()
    return found


def jump_matrix(weights: np.ndarray, num_given: int) -> np.ndarray:
    """(I + 1, I + 1): the probabilities of the jumps from each place to each place."""
    chosen = weights[_widths(num_given)]
    return chosen / chosen.sum(axis=1, keepdims=True)


def estimated_jumps(
    weights: np.ndarray, counts: Mapping[int, np.ndarray], prior: float
) -> np.ndarray:
    """Weights under which the expected counts are likelier than under these.

    A step of the minorisation-maximisation algorithm of Bradley-Terry models (Hunter 2004):
    sentences have ends, so a weight is in every sum that it shares, and relative counts alone could
    lower the likelihood.

    Args:
        counts: (I + 1, I + 1) expected numbers of jumps, for each I.
        prior: pseudo-count of each width at a weight of 1 (a gamma prior).
    """
    seen, shares = np.zeros_like(weights), np.zeros_like(weights)
    for num_given, jumps in counts.items():
        widths = _widths(num_given)
        share = (jumps.sum(axis=1) / weights[widths].sum(axis=1)).repeat(num_given + 1)
        seen += np.bincount(widths.ravel(), jumps.ravel(), minlength=len(weights))
        shares += np.bincount(widths.ravel(), share, minlength=len(weights))
    seen, shares = seen + prior, shares + prior
    # A width that fits into no sentence keeps its weight.
    return np.divide(seen, shares, out=weights.copy(), where=shares > 0)


def _widths(num_given: int) -> np.ndarray:
    """(I + 1, I + 1): the indices of the weights of the jumps from each place to each place."""
    places = np.arange(num_given + 1)
    widths = places + 1 - places[:, None]
    return np.clip(widths, -LONGEST_JUMP, LONGEST_JUMP) + LONGEST_JUMP


def ibm1_posteriors(
    emissions: np.ndarray, exists: np.ndarray, null_probability: float
) -> tuple[np.ndarray, float]:
    """IBM model 1 with a fixed share of the null word; the I given words share the rest.

    Args:
        emissions: (J, P, I + 1) the probabilities of each word, given the null word and each word.
        exists: (J, P) which words there are.

    Returns:
        (J, P, I + 1) the probability that each word comes from the null word (first) and from each
        given word; the log likelihood of all words.
    """
    joint = np.where(exists[..., None], emissions, 0)
    joint[..., 0] *= null_probability
    joint[..., 1:] *= (1 - null_probability) / (joint.shape[-1] - 1)
    likelihood = np.where(exists, joint.sum(axis=-1), 1)
    joint /= likelihood[..., None]
    return joint, float(np.log(likelihood).sum())


def hmm_posteriors(
    emissions: np.ndarray, exists: np.ndarray, jumps: np.ndarray, null_probability: float
) -> tuple[np.ndarray, float, np.ndarray]:
    """The forward-backward algorithm, for all pairs of a block at once.

    What follows a place does not depend on whether the word there or the null word generated the
    last word, so the two states share their memory, and a step is one product of matrices.

    Args:
        emissions, exists: as of `ibm1_posteriors`; pairs with fewer words come last.
        jumps: (I + 1, I + 1) their probabilities.

    Returns:
        As `ibm1_posteriors`, then (I + 1, I + 1) the expected numbers of jumps.
    """
    null = null_probability * emissions[..., :1]
    real = (1 - null_probability) * emissions[..., 1:]
    to_words, to_end = jumps[:, :-1], jumps[:, -1]
    steps = list(enumerate(exists.sum(axis=1)))  # word j, and how many pairs have one

    # The place of each pair before word j, given the words so far, and the jumps to word j.
    forward = np.zeros((len(emissions) + 1, *emissions.shape[1:]))
    forward[0, :, 0] = 1
    states, counts = np.zeros_like(emissions), np.zeros_like(jumps)
    scale = np.ones((*exists.shape, 1))
    for j, n in steps:
        jumped = real[j, :n] * (forward[j, :n] @ to_words)
        now = null[j, :n] * forward[j, :n]
        now[:, 1:] += jumped
        scale[j, :n] = now.sum(axis=1, keepdims=True)
        states[j, :n, 1:] = jumped
        forward[j + 1, :n] = now / scale[j, :n]
        forward[j + 1, n:] = forward[j, n:]
    states, null, real = states / scale, null / scale, real / scale
    ends = forward[-1] @ to_end
    log_likelihood = float(np.log(scale).sum() + np.log(ends).sum())

    # `future` has for each place how much likelier it makes what is still to come.
    future = to_end / ends[:, None]
    counts[:, -1] = (forward[-1] * future).sum(axis=0)
    for j, n in reversed(steps):
        after = future[:n]
        states[j, :n, 0] = (null[j, :n] * forward[j, :n] * after).sum(axis=1)
        states[j, :n, 1:] *= after[:, 1:]
        ahead = real[j, :n] * after[:, 1:]
        counts[:, :-1] += to_words * (forward[j, :n].T @ ahead)
        future[:n] = ahead @ to_words.T + null[j, :n] * after
    return states, log_likelihood, counts
