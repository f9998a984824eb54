"""Stage `phrasal_patterns`: n-grams of translations, by the source phrases they come from.

settings    sizes, length bins, resamples
scores      scores of n-grams, and the rows of their tables
categories  source phrases that n-grams of a reference are aligned to; recall by category
figures     the rows that are drawn, and their curves
__main__    STAGE: the command
"""
