"""STAGE: the dataset artifact: everything the text stages made, as arrays that stand by themselves.

settings  layout of the artifact
rows      the outputs of the text stages, read side by side and encoded
card      a dataset in a few facts, and the card in its folder
build     vocabulary, Parquet files, manifest
reverse   COMMAND: a dataset the other way round
__main__  STAGE: the command

Readers raise `InputError` for a file that is missing, malformed or does not fit another.
"""
