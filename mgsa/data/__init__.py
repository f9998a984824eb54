"""The dataset artifact as batches of tensors, in reading order:

limits        how much a dataset may hold of one kind
schema        columns, file names and version of an artifact
vocabulary    ids of subwords, special symbols
ragged        lists of different lengths in one array
batch         rows, and Batch: ids, lengths, segments of each granularity, tags
row_checks    whether rows are what models rely on
manifest      what an artifact says of itself
shards        the Parquet files of a split, read as one
page_headers  whether their pages hold what they promise
artifact      open a dataset artifact: version, hashes, rows streamed from Parquet
bucketing     rows of like length together
needs         what a model needs of a dataset: checked, and read
order         results of batches in the order of their rows
prefetch      an iterator read ahead in a thread
batching      token-budget batches in a seeded order, with a position one can return to
verification  check every row of an artifact
"""
