"""Stage `align`: word links of each pair.

settings    an aligner of each kind
symmetrize  one alignment from two directions
bitext      sentence pairs as arrays of word ids, and their word pairs in blocks
hmm         IBM model 1 and the hidden Markov model, learned in both directions
eflomal     links by the command eflomal-align
error_rate  COMMAND: alignment error rate of links against gold links
__main__    STAGE: links of a corpus, by an aligner or from files
"""
