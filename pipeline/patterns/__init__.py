"""N-grams of translations, by the phrases of the source they come from, in reading order:

scores      scores of n-grams, and the rows of their tables
categories  the source phrases that n-grams of a reference are aligned to; recall by category
figures     the rows that are drawn, and their curves
"""
