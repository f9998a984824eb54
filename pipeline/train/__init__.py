"""Stage `train`: a model and its curves.

bpe_dropout  training rows that are segmented anew in every epoch
__main__     STAGE: `mgsa train` with the settings of the pipeline
"""
