"""How well systems produce n-grams of each size: precision, BLEU restricted to it, recall.

Hao et al. 2019, figure 2, shows by how much BLEU gains on n-grams of each size. BLEU restricted to
n is taken to be BLEU (Papineni et al. 2002, section 2.3) with all weight on one n: the brevity
penalty times the precision p_n, without smoothing. Counts are sacreBLEU's: clipped matches, and
the n-grams of hypotheses.

Legend: N sentences, n_max the largest n. Statistics of a sentence, or of several summed up, are
(…, 2 + 2 n_max): words of the hypothesis and of the reference, then matches and n-grams of each n.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

Span = tuple[int, int]
"""First word and end (exclusive)."""


def ngram_statistics(
    hypotheses: Sequence[str], references: Sequence[str], *, tokenizer: str, max_ngram: int
) -> np.ndarray:
    """(N, 2 + 2 n_max) int64, the statistics of each sentence; `tokenizer` is one of sacreBLEU."""
    from sacrebleu.metrics.bleu import BLEU

    # Effective order concerns scores, which are not used; without it sacreBLEU warns.
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
    """(…, n_max) in per cent; 0 where hypotheses are shorter than n, as in sacreBLEU."""
    return 100 * matches(statistics) / np.maximum(ngrams(statistics), 1)


def restricted_bleu(statistics: np.ndarray) -> np.ndarray:
    """(…, n_max) in per cent: exp(min(0, 1 - reference / hypothesis)) times the precision."""
    hypothesis, reference = statistics[..., 0], statistics[..., 1]
    # Of an empty hypothesis the precision is 0, whatever the penalty.
    penalty = np.exp(np.minimum(0, 1 - reference / np.maximum(hypothesis, 1)))
    return penalty[..., None] * precision(statistics)


def _max_ngram(statistics: np.ndarray) -> int:
    return statistics.shape[-1] // 2 - 1


def recall_of_spans(
    spans: Sequence[Span], reference: Sequence[str], hypotheses: Sequence[Sequence[str]]
) -> np.ndarray:
    """(hypotheses, spans) float64: the share of each n-gram of the reference that was produced.

    An n-gram that occurs r times in the reference and h times in the hypothesis is matched
    min(h, r) times, as BLEU clips it. Each of its r occurrences gets min(h, r) / r, so that the
    shares of all occurrences add up to BLEU's matches.

    Args:
        spans: of the n-grams in the reference, of any sizes.
    """
    sizes = sorted({end - start for start, end in spans})
    wanted = [_ngram_counts(reference, size) for size in sizes]
    shares = np.zeros((len(hypotheses), len(spans)))
    for row, hypothesis in enumerate(hypotheses):
        share = {
            ngram: min(1.0, produced[ngram] / times)
            for size, of_reference in zip(sizes, wanted, strict=True)
            for produced in [_ngram_counts(hypothesis, size)]
            for ngram, times in of_reference.items()
        }
        shares[row] = [share[tuple(reference[start:end])] for start, end in spans]
    return shares


def _ngram_counts(words: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + size]) for i in range(len(words) - size + 1))
