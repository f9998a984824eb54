"""Constituency parsers, trained or fetched, in reading order:

spelling       words as parsers learn them, and as a corpus has them
treebank       a treebank as a parser learns it
ready_trees    trees that came with a corpus, over its tokens
bracketing     precision, recall and F1 of brackets
parser_folder  a parser's models and their identity; a package of stanza's, copied or downloaded
tagger         the file of a tagger that was trained here
transition_parser  trees of tagged sentences, many in step
stanza_parser  a loaded parser
"""
