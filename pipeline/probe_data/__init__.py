"""Stage `probe_data`: sentences with labels of their trees.

settings         which sentences, and how many
sentences        trees with their tokens, from the corpus or a treebank
main_clause      the main clause of a tree and its verb group
voice_and_tense  labels of a verb group
labels           labels of a sentence and of its words
build            the probing data
__main__         STAGE: the command
"""
