"""Analysis of a trained model and its translations, in reading order:

quadrants      attention from words and phrases to words and phrases
heat_maps      the attention of one sentence pair, with the labels of its axes
ngrams         precision and recall of n-grams, and BLEU restricted to a size
bootstrap      intervals and paired tests from resampled sentences
randomization  a paired test from systems that swap sentences
"""
