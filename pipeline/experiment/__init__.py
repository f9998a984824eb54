"""Tables of systems, each trained from several seeds.

plan          the parameter file of the experiments
parameters    COMMAND, a stage of DVC: the parameters of a system
significance  a system against the baseline, seed by seed and over seeds
results       what the cells of a table came to, as JSON, CSV and Markdown
__main__      COMMAND: run what is missing by DVC, then collect
"""
