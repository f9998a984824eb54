"""Tokens of a sentence.

moses        normalise, tokenise, detokenise
subwords     split words into subwords
bpe_dropout  training rows split anew in every epoch
trees        bracketed trees: read, written, checked
"""
