"""From a model to translations and alignments, in reading order:

beam       beam search over a batch, with one model or several; greedy is a beam of 1
batches    rows in batches of similar length, results in the order of the rows
translate  a model artifact, or an ensemble, as an object that translates
align      a model artifact as an object that aligns given pairs
commands   `mgsa translate` and `mgsa align`
"""
