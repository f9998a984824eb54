"""From a model to translations, alignments and scores, in reading order:

continuations  the best next tokens of hypotheses, ties in a known order
beam           beam search over a batch, with one model or several; greedy is a beam of 1
precision      models in the precision of a search
batches        rows in batches of similar length, results in the order of the rows
results        translations and alignments
copying        candidates aligned with their sources, and unknown words copied
opened         a model artifact, or an ensemble, that translates, aligns and scores rows
commands       `mgsa translate`, `mgsa align` and `mgsa score`
"""
