"""A trained model as a folder, in reading order:

weights  tensors in files that hold no code
card     a README of settings and scores
model    the folder: configuration, weights, vocabularies
export   a model for another engine
"""
