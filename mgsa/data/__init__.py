"""The dataset artifact as batches of tensors, in reading order:

schema        columns, file names, kinds and manifest of an artifact
vocabulary    ids of subwords, tags and classes, special symbols
ragged        lists of different lengths in one array
batch         rows, and Batch: ids, lengths, segments of each granularity, tags
word_links    word alignments as links
checks        validation of rows
dataset       open an artifact, stream its rows, verify all of it
controls      shuffled, random and flat phrases in place of a dataset's
phrase_noise  phrases of training rows that are not their tree's
batching      token-budget batches in a seeded order, resumable, prefetched
"""
