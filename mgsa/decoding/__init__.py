"""From a model to translations, in reading order:

beam          batched beam search over `step(state, tokens)`; greedy is a beam of 1
candidates    the best continuations of a beam, in an order that only scores and ids decide
trail         where the rows of a search came from
ensemble      several models as one
search        a batch of source sentences through models and beam search
settings      the section `translate`, or what stands in for it
device        CPU or GPU
translation   what a translator gives: candidates, scores, attention weights
translator    a model artifact, or several, as an object that translates rows and lines
command       `mgsa translate`
"""
