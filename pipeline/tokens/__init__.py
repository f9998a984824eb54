"""What is said of the tokens of one sentence.

moses     normalise, tokenise, detokenise
subwords  split words into subwords
trees     bracketed trees: read, written, checked
"""
