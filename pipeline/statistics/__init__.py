"""Scores of n-grams, intervals and tests, for any stage that reports some.

bleu_tokenizers  sacreBLEU's tokeniser by target language
bootstrap        intervals and paired tests from resampled sentences
randomization    a paired test from systems that swap sentences
ngrams           precision and recall of n-grams, BLEU, and BLEU restricted to a size
"""
