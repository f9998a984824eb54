"""How well systems produce n-grams of each size: precision, and BLEU restricted to it.

Hao et al. 2019, figure 2, shows by how much BLEU gains on n-grams of each size. BLEU restricted to
n is taken to be BLEU (Papineni et al. 2002, section 2.3) with all weight on one n: the brevity
penalty times the precision p_n, without smoothing. Counts are sacreBLEU's: clipped matches, and
the n-grams of hypotheses.

Legend: N sentences, n_max the largest n. Statistics of a sentence, or of several summed up, are
(…, 2 + 2 n_max): words of the hypothesis and of the reference, then matches and n-grams of each n.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def ngram_statistics(
    hypotheses: Sequence[str], references: Sequence[str], *, tokenizer: str, max_ngram: int
) -> np.ndarray:
    """(N, 2 + 2 n_max) int64, the statistics of each sentence.

    Args:
        tokenizer: sacreBLEU's name of what makes words of text.
    """
    from sacrebleu.metrics.bleu import BLEU

    # The effective order concerns scores, which nobody asks for: without it there are warnings.
    bleu = BLEU(tokenize=tokenizer, max_ngram_order=max_ngram, effective_order=True)
    rows = []
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        score = bleu.sentence_score(hypothesis, [reference])
        rows.append([score.sys_len, score.ref_len, *score.counts, *score.totals])
    return np.array(rows, dtype=np.int64)


def matches(statistics: np.ndarray) -> np.ndarray:
    """(…, n_max) matches."""
    return statistics[..., 2 : 2 + _max_ngram(statistics)]


def ngrams(statistics: np.ndarray) -> np.ndarray:
    """(…, n_max) n-grams of hypotheses."""
    return statistics[..., 2 + _max_ngram(statistics) :]


def precision(statistics: np.ndarray) -> np.ndarray:
    """(…, n_max) in per cent; 0 where hypotheses are shorter than n, as sacreBLEU has it."""
    return 100 * matches(statistics) / np.maximum(ngrams(statistics), 1)


def restricted_bleu(statistics: np.ndarray) -> np.ndarray:
    """(…, n_max) in per cent: exp(min(0, 1 - reference / hypothesis)) times the precision."""
    hypothesis, reference = statistics[..., 0], statistics[..., 1]
    # Without a word there is no n-gram either, so what the penalty is there does not matter.
    penalty = np.exp(np.minimum(0, 1 - reference / np.maximum(hypothesis, 1)))
    return penalty[..., None] * precision(statistics)


def _max_ngram(statistics: np.ndarray) -> int:
    return statistics.shape[-1] // 2 - 1
