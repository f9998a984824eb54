"""How a stage runs.

command   a stage's command line, its outputs, and when and where it ran
download  files from the web, checked by hash
"""
