"""Precision, restricted BLEU and recall of n-grams of each size.

Hao et al. 2019, figure 2, shows gains in BLEU by n-gram size. BLEU restricted to n is taken to be
BLEU (Papineni et al. 2002, section 2.3) with all weight on n: brevity penalty times p_n, without
smoothing. Counts are sacreBLEU's.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

Span = tuple[int, int]
"""First word and end (exclusive)."""


def ngram_statistics(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    tokenizer: str,
    max_ngram: int,
) -> np.ndarray:
    """(sentences, max_ngram, 4) int64 for each sentence and n, to be summed.

    Matches clipped by the most that one of the sentence's references has, n-grams of the
    hypothesis, its words, words of the reference nearest in length; `tokenizer` is one of
    sacreBLEU's.
    """
    from sacrebleu.metrics.bleu import BLEU

    # Effective order affects scores only, which are not used; it avoids a warning.
    bleu = BLEU(tokenize=tokenizer, max_ngram_order=max_ngram, effective_order=True)
    rows = []
    for hypothesis, of_sentence in zip(hypotheses, references, strict=True):
        score = bleu.sentence_score(hypothesis, of_sentence)
        lengths = [[score.sys_len] * max_ngram, [score.ref_len] * max_ngram]
        rows.append([score.counts, score.totals, *lengths])
    return np.array(rows, dtype=np.int64).swapaxes(1, 2)


def corpus_bleu(sums: np.ndarray) -> np.ndarray:
    """(…, 4 · 4) sums of `ngram_statistics` to (…) BLEU, as sacreBLEU smooths it."""
    from sacrebleu.metrics.bleu import BLEU

    columns = np.moveaxis(sums.astype(np.int64).reshape(-1, 4, 4), 2, 0).tolist()
    scores = [
        BLEU.compute_bleu(matches, ngrams, ours[0], reference[0], smooth_method="exp").score
        for matches, ngrams, ours, reference in zip(*columns, strict=True)
    ]
    return np.array(scores).reshape(sums.shape[:-1])


def restricted_bleu(statistics: np.ndarray) -> np.ndarray:
    """(…, 4) statistics to (…) BLEU in per cent: exp(min(0, 1 - reference / hypothesis)) p_n.

    p_n is 0 for hypotheses shorter than n.
    """
    matches, ngrams, hypothesis, reference = np.moveaxis(statistics, -1, 0)
    penalty = np.exp(np.minimum(0, 1 - reference / np.maximum(hypothesis, 1)))
    return np.asarray(penalty * (100 * matches / np.maximum(ngrams, 1)))


def recall_of_spans(
    spans: Sequence[Span], reference: Sequence[str], hypotheses: Sequence[Sequence[str]]
) -> np.ndarray:
    """(hypotheses, spans) float64: the matched share of each n-gram occurrence of the reference.

    An n-gram that occurs r times in the reference and h times in the hypothesis has min(h, r)
    matches, as in BLEU; each of its r occurrences gets min(h, r) / r.
    """
    sizes = {end - start for start, end in spans}
    wanted, *produced = (
        Counter(tuple(words[i : i + n]) for n in sizes for i in range(len(words) - n + 1))
        for words in (reference, *hypotheses)
    )
    ngrams = [tuple(reference[start:end]) for start, end in spans]
    shares = [[min(1.0, each[ngram] / wanted[ngram]) for ngram in ngrams] for each in produced]
    return np.array(shares, dtype=float).reshape(len(hypotheses), len(spans))
