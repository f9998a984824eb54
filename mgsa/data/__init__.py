"""The dataset artifact as batches of tensors, in reading order:

artifact    open a dataset artifact: version, hashes, rows streamed from Parquet
vocabulary  ids of subwords, special symbols
batch       Batch: ids, lengths, segments of each granularity, tags
batching    token-budget batches in a seeded order, with a position one can return to
"""
