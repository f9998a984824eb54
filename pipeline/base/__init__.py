"""What every stage stands on.

stage    a stage's command, outputs, and note of its run
tables   rows as CSV and Markdown
text     parallel text on disk, and what is wrong with it
charts   Vega-Lite charts for `dvc plots`, files and the report
workers  one function over a stream, on several processes, in order
"""
