"""Tables of systems, each trained from several seeds, in reading order:

plan      what the parameter file of the experiments says
choices   writing into that file what a run of a table is to be
cells     which cells are finished, and running those that are not: by DVC
results   what the cells of a table came to, and how sure the differences are
table     a table as text and as data
__main__  COMMAND: run what is missing, then collect
"""
