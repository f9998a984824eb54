"""STAGE: the dataset artifact: everything the text stages made, as arrays that stand by themselves.

preprocessor   THE encoder: tokens, phrases and links as rows; raw text as tokens and phrases
stage_outputs  what the text stages wrote, row by row
manifest       what made a dataset, as its manifest and `preprocessing.json` record it
description    a dataset in a few facts; two datasets compared
card           the artifact's README.md
build          vocabulary, rows, Parquet files
__main__       the command
"""
