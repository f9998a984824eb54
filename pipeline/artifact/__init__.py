"""The dataset artifact: its columns, its files and what made it, in reading order:

stage_outputs     what the text stages wrote, row by row
columns           the columns of a dataset
parquet_file      a Parquet file, written row group by row group
phrase_columns    the phrases of a row, in subwords
link_columns      the links of a row, in subwords
manifest          what made a dataset
reversed_columns  rows with their sides swapped
"""
