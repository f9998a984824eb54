"""What an encoder knows of syntax, asked by classifiers of its states, in reading order:

schema      tasks, columns, file names and version of probing data
rows        sentences with their labels, as batches: subwords have the labels of their words
data        open probing data: version, hashes, every row checked
settings    what there is to set of probes
examples    the batches of a split
classifier  from a state, or the mean of a sentence's, to a class
encoder     whose states: a trained model's, frozen, or those of one that learns the task
probe       one task asked of one layer: it learns, and stops when it gets no better
training    all probes of an encoder
accuracy    with its interval, beside that of the most frequent class
"""
