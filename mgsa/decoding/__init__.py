"""From a model to translations, alignments and scores, in reading order:

continuations  the best next tokens of hypotheses, ties in a known order
beam           beam search over a batch, with one model or several; greedy is a beam of 1
precision      models in the precision of a search
batches        rows in batches of similar length, results in the order of the rows
translate      a model artifact, or an ensemble, as an object that translates
align          a model artifact as an object that aligns given pairs
score          a model artifact as an object that scores given pairs
commands       `mgsa translate`, `mgsa align` and `mgsa score`
"""
