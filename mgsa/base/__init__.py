"""The base of both packages; nothing here depends on models or text.

errors      a user's mistake; a failure without a traceback
io          atomic outputs, text and JSON, the files of an artifact
settings    sections of a YAML file as checked dataclasses
guard       no foreign file is overwritten
cli         exit status, one-line errors, progress
command     a command line from a function's signature
word_links  word alignments as links
"""
