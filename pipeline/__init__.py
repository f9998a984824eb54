"""Text in, arrays out: the stages from a parallel corpus to a dataset, and the text side of models.

`pipeline` imports `mgsa`, never the reverse.
"""
