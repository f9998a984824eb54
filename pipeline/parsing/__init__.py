"""What a constituency parser is trained from, made of and measured by, in reading order:

treebank         a treebank as a parser learns it
bracketing       precision, recall and F1 of brackets
stanza_models    word vectors, a tagger and a parser, by stanza's training code
stanza_training  one after the other: the models of a treebank
parser_folder    models and what they are; a package of stanza's, copied or downloaded
stanza_parser    a loaded parser
ray_parser       a loaded parser in each worker of a Ray cluster
parse_memory     parsed sentences, remembered between runs
"""
