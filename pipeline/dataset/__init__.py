"""STAGE: the dataset artifact: everything the text stages made, as arrays that stand by themselves.

preprocessor  THE encoder: tokens, phrases and links as rows; raw text as tokens and phrases
manifest      what made a dataset, as its manifest and `preprocessing.json` record it
rows          the outputs of the text stages, read side by side and encoded
description   a dataset in a few facts, and the card in its folder
build         vocabulary, Parquet files, manifest
__main__      the command

What reads files raises `InputError` for one that is missing, malformed or does not fit another.
"""
