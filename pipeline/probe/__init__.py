"""Stage `probe`: classifiers of an encoder's states for syntactic tasks.

settings    of probes and of encoders from scratch
examples    probing data in batches
encoder     the frozen encoder of a trained model, or one that learns the task
classifier  probes, their training with early stopping, and their test
accuracies  the table and its charts
encoders    all encoders of a table, one after the other
__main__    STAGE: the command
"""
