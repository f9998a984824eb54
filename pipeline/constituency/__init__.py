"""Constituency parsers, trained or fetched, in reading order:

treebank       a treebank as a parser learns it
bracketing     precision, recall and F1 of brackets
parser_folder  a parser's models and their identity; a package of stanza's, copied or downloaded
stanza_parser  a loaded parser
"""
