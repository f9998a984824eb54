"""Word links of sentence pairs, by statistics, by tools and from files, in reading order:

symmetrize       one alignment from two directions
kinds            kinds of aligners and their settings
tokenized_pairs  sentence pairs as the aligners read them
bitext           sentences as numbers
word_pairs       all word pairs of sentence pairs, laid out in blocks
lexical_table    translation probabilities, estimated from counts
ibm1             IBM model 1
hmm              the hidden Markov model of alignments
hmm_aligner      links by these two, in both directions
eflomal_command  links by eflomal
link_files       links by any tool, from its files
"""
