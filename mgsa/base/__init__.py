"""What every command of both packages stands on; nothing here knows of models or of text.

errors      a user's mistake, and a failure that needs no traceback
io          outputs that appear whole or not at all; text, JSON, the files of an artifact
settings    sections of a YAML file as checked dataclasses
guard       no output costs a file that the command did not write
cli         exit status, one-line errors, progress
command     a command line from a function's signature
word_links  word alignments as links
"""
