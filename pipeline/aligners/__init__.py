"""Word links of sentence pairs, by statistics, by tools and from files, in reading order:

settings         the settings of each kind of aligner
symmetrize       one alignment from two directions
bitext           sentence pairs as arrays of word ids, and their word pairs in blocks
hmm              IBM model 1 and the hidden Markov alignment model
hmm_aligner      links by these two, in both directions
eflomal_command  links by eflomal
link_files       links by any tool, from its files
"""
