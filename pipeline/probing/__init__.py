"""What probes are asked, and what their answers come to, in reading order:

main_clause      the verbs of a sentence's main clause
voice_and_tense  what they tell, by patterns
labels           labels of a sentence's tree, to be told from its encoding
sentences        sentences drawn into splits that share none
rows             sentences with their labels as rows
tables           accuracies of probes as rows
figures          and as bars, and curves over layers
encoders         all encoders of the table, probed one after the other
"""
