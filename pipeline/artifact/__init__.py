"""The dataset artifact: its columns, its files and what made it, in reading order:

stage_outputs     what the text stages wrote, row by row
columns           the columns of a dataset
phrase_columns    the phrases of a row, in subwords
link_columns      the links of a row, in subwords
symbols           what ids stand for
parquet_file      Parquet files, written row group by row group
description       what a dataset is, in a few facts
dataset_card      and at more length, for people
manifest          what made a dataset
preprocessing     how text became rows, for other text
difference        what differs between two datasets
reversed_columns  rows with their sides swapped
"""
