"""Stage `parser`: a constituency parser, trained here or fetched.

settings         a parser of each kind
word_vectors     word vectors from the company of words
stanza_training  word vectors, a tagger and a parser of a treebank, by stanza's training code
__main__         STAGE: the parser and its F1 on held-out trees
"""
