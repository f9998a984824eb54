"""What a trained model and its translations do, as numbers to look at, in reading order:

quadrants         how much attention goes from words and phrases to words and phrases
heat_maps         the attention of one sentence pair, with what stands on its axes
alignment_error   alignment error rate, precision and recall against gold links
phrasal_patterns  precision of n-grams, and BLEU restricted to a size
ngram_recall      which n-grams of a reference a translation has
bootstrap         intervals and paired tests from resampled sentences
"""
