"""What a constituency parser is trained from, made of and measured by, in reading order:

treebank         a treebank as a parser learns it
bracketing       precision, recall and F1 of brackets
word_vectors     word vectors from the company of words
parser_folder    models and what they are; a package of stanza's, copied or downloaded
stanza_training  word vectors, a tagger and a parser of a treebank, by stanza's training code
stanza_parser    a loaded parser
ray_parser       a loaded parser in each worker of a Ray cluster
parse_memory     parsed sentences, remembered between runs
"""
