"""Stage `parser`: a constituency parser, trained here or fetched.

settings         a parser of each kind
word_vectors     word vectors from the company of words
tagging          a tagger, by NLTK, and the treebank with a tagger's tags
stanza_training  word vectors, tagger, and a parser by stanza's training code
__main__         STAGE: the parser and its F1 on held-out trees
"""
