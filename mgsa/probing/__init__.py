"""Probing: classifiers of an encoder's states for syntactic tasks, in reading order:

settings  of probes and of encoders from scratch
data      probing data: a dataset of sentences with label columns, in batches
encoder   the frozen encoder of a trained model, or one that learns the task
probe     classifiers, their training with early stopping, and their test
"""
