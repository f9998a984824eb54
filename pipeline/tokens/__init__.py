"""Tokens of a sentence.

moses     normalise, tokenise, detokenise
subwords  split words into subwords
trees     bracketed trees: read, written, checked
"""
