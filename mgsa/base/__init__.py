"""What every command of both packages stands on; nothing here knows of models or of text.

errors          a user's mistake, and a failure that needs no traceback
temporary       temporary files and folders beside an output
io              outputs that appear whole or not at all; text and JSON, read and written
manifest_files  the files of an artifact, as its manifest lists them
parameter_file  YAML that parameters are written in
settings        sections of YAML and JSON as checked dataclasses
cli             exit codes, one-line errors, progress
"""
