"""The stage `corpus`: raw parallel text.

__main__   the stage
settings   of a corpus, one class for each kind, and its splits as files to read
splits     texts of several files put together, and lines drawn from the training split
"""
