"""What an encoder knows of syntax, by classifiers of its states, in reading order:

settings  of probes and of encoders from scratch
data      probing data: a dataset of sentences with label columns, in batches
encoder   the encoders: that of a trained model, frozen, or one that learns the task
probe     classifiers, their training with early stopping, and their test
"""
