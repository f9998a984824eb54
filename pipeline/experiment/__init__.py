"""Tables of systems, each trained from several seeds.

plan      the parameter file of the experiments
results   what the cells of a table came to, as JSON, CSV and Markdown
__main__  COMMAND: run what is missing by DVC, then collect
"""
