"""What an encoder knows of syntax, asked by classifiers of its states, in reading order:

schema    tasks, columns, file names and version of probing data
rows      sentences with their labels, as batches: subwords have the labels of their words
data      open probing data: version, hashes, every row checked
settings  what there is to set of probes
examples  the batches of a split
encoder   the encoders: that of a trained model, frozen, or one that learns the task
probe     classifiers, their training with early stopping, and their test
"""
