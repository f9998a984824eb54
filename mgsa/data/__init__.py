"""The dataset artifact as batches of tensors, in reading order:

schema        columns, file names, kinds and manifest of an artifact
vocabulary    ids of subwords, special symbols
ragged        lists of different lengths in one array
batch         rows, and Batch: ids, lengths, segments of each granularity, tags
checks        the check of rows, whenever they are read
shards        the Parquet files of a split, read as one
dataset       open an artifact, stream its rows, verify all of it
batching      token-budget batches in a seeded order, from any position on, read ahead

Sentences with labels, such as probing data, are a dataset too. They have a `schema.Kind` of their
own, whose columns are those of the source and the label columns (one class a sentence, or one a
word), a `labels.json` that names the classes of each, and a manifest with the same keys:

    dataset = open_dataset(folder, kind=PROBING)
    groups = range(len(dataset.row_group_rows("train")))
    columns = dataset.columns(
        "train", groups, words=True, phrases=True, links=False, labels=["voice", "pos"]
    )
    columns.labels["voice"]                 # (rows,) class ids, `NO_LABEL` where there is none
    columns.labels["pos"][5]                # a class id for each word of row 5
    bucketed(columns.lengths, np.arange(len(columns)), batch_tokens)
    pad_columns(columns.take(rows), granularities, ngram_unit=ngram_unit)
    dataset.classes["voice"]                # the names of the classes
"""
