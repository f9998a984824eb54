"""What a constituency parser is trained from, made of and measured by, in reading order:

treebank             a treebank as a parser learns it
bracketing           precision, recall and F1 of brackets
word_vectors         vectors from the company of words
saved_models         the files that training leaves: whole, alike, named
stanza_options       settings of stanza's trainings
stanza_tagger        a tagger, by stanza's training code
stanza_constituency  a parser, by stanza's training code
stanza_training      vectors, tagger and parser of a treebank, one after the other
parser_folder        what a parser is, and that it is still the same
stanza_package       a package of stanza's, found in a folder
stanza_download      a package of stanza's, downloaded
stanza_parser        a loaded parser
parse_memory         parsed sentences, remembered between runs
ray_parser           a loaded parser in each worker of a Ray cluster
"""
