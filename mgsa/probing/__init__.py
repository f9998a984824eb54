"""What an encoder knows of syntax, asked by classifiers of its states, in reading order:

schema  tasks, columns, file names and version of probing data
rows    sentences with their labels, as batches: subwords have the labels of their words
data    open probing data: version, hashes, every row checked
"""
