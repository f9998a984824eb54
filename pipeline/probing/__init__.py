"""What probes are asked, and their answers, in reading order:

main_clause      the verbs of a sentence's main clause
voice_and_tense  voice and tense by patterns over these verbs
labels           labels of a sentence's tree, to be predicted from its encoding
sentences        sentences drawn into disjoint splits
build            probing data: splits, labels, classes, rows, manifest
accuracies       accuracies of probes as a table, a report and figures
encoders         all encoders of the table, probed one after the other

What reads files raises `InputError` for one that is missing, malformed or does not fit another.
"""
