"""Command lines: errors, files, settings and the command itself; no model, no text.

errors      a user's mistake; a failure without a traceback
files       text and JSON: read packed or not, written atomically
outputs     folders with a manifest, reports that say what wrote them
provenance  what inputs are, and were made of
languages   language codes, and the language of one
settings    sections of a YAML file as checked dataclasses
guard       no foreign file is overwritten
progress    a bar with rate and time left
workers     one function over a stream, on several processes, in order
run         exit status, one-line errors, signals
command     a command line from a function's signature
"""
