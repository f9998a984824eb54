"""Stage `parse`: a tree for each source sentence.

settings    the longest sentence
memory      parsed sentences, remembered between runs
ray_parser  a loaded parser in each worker of a Ray cluster
sentences   sentences to trees, in windows and batches
__main__    STAGE: trees of a corpus, by a parser or from files
"""
