"""How well systems produce n-grams of each size: precision, BLEU restricted to it, recall.

Hao et al. 2019, figure 2, shows by how much BLEU gains on n-grams of each size. BLEU restricted to
n is taken to be BLEU (Papineni et al. 2002, section 2.3) with all weight on one n: the brevity
penalty times the precision p_n, without smoothing. Counts are sacreBLEU's.
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
    """Statistics of each sentence and n, (sentences, max_ngram, 4) int64, to be summed.

    Clipped matches, n-grams of the hypothesis, its words and the reference's words.

    Args:
        tokenizer: one of sacreBLEU's.
    """
    from sacrebleu.metrics.bleu import BLEU

    # Effective order concerns scores, which are not used; without it sacreBLEU warns.
    bleu = BLEU(tokenize=tokenizer, max_ngram_order=max_ngram, effective_order=True)
    rows = []
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        score = bleu.sentence_score(hypothesis, [reference])
        lengths = [[score.sys_len] * max_ngram, [score.ref_len] * max_ngram]
        rows.append([score.counts, score.totals, *lengths])
    return np.array(rows, dtype=np.int64).swapaxes(1, 2)


def restricted_bleu(statistics: np.ndarray) -> np.ndarray:
    """(…, 4) statistics to (…) BLEU in per cent: exp(min(0, 1 - reference / hypothesis)) p_n.

    It is the precision where both lengths are 0. Hypotheses shorter than n have a precision of 0.
    """
    matches, ngrams, hypothesis, reference = np.moveaxis(statistics, -1, 0)
    penalty = np.exp(np.minimum(0, 1 - reference / np.maximum(hypothesis, 1)))
    return np.asarray(penalty * (100 * matches / np.maximum(ngrams, 1)))


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
