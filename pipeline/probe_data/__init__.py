"""Stage `probe_data`: sentences with labels of their trees.

settings         which sentences, and how many
sentences        trees with their tokens, from the corpus or a treebank
voice_and_tense  rules on the verbs of the main clause
labels           labels of a sentence and of its words
build            the probing data
__main__         STAGE: the command
"""
