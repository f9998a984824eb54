"""How a stage runs.

command   a stage's command line, its outputs, and when and where it ran
workers   one function over a stream, on several processes, in order
download  files from the web, checked by hash
"""
