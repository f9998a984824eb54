"""Word links of sentence pairs, by statistics and by tools, in reading order:

symmetrize       one alignment from two directions
bitext           sentence pairs as arrays of word ids, and their word pairs in blocks
hmm              IBM model 1 and the hidden Markov model, learned in both directions
eflomal_command  links by eflomal
"""
