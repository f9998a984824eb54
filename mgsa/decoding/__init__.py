"""From a model to translations and alignments, in reading order:

candidates  the best continuations of a beam, in an order that only scores and ids decide
beam        a batch through one model or several, and beam search; greedy is a beam of 1
batches     rows in batches of like length, results in the order of the rows
translate   a model artifact, or several, as an object that translates
align       a model artifact as an object that aligns given pairs
commands    `mgsa translate` and `mgsa align`
"""
