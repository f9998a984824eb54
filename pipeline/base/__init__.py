"""What every stage stands on.

stage     a stage's command line, its outputs, and when and where it ran
tables    objects of JSON, rows as CSV and Markdown
text      parallel text on disk, and what is wrong with it
charts    Vega-Lite charts for `dvc plots`, files and the report
figures   heat maps of attention
workers   one function over a stream, on several processes, in order
download  files from the web, checked by hash
"""
