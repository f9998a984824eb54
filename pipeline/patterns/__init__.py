"""N-grams of translations, by the phrases of the source they come from, in reading order:

categories     the source phrases that n-grams of a reference are aligned to; recall by category
aligned_split  a split with its tokens, trees and links
scores         scores of n-grams, and the rows of their tables
figures        the rows that are drawn, and their curves
"""
