"""N-grams of translations, by the phrases of the source they come from, in reading order:

source_phrases   which source phrase an n-gram of a reference is aligned to
aligned_split    a split with its tokens, trees and links
category_counts  n-grams by syntactic category, counted
tables           scores of n-grams as rows
drawn            which of them are drawn
figures          and as curves
"""
