"""The sections of the page, each from its inputs to what its template shows:

overview    what was run, and its numbers at a glance
scores      BLEU, chrF, TER with their intervals, system by system
tables      tables of systems: means and deviations over seeds, tests seed by seed
sentences   sentence scores; the worst, the best, the most different translations
patterns    n-grams by size, source length and syntactic category
curves      learning curves
attention   shares of attention by quadrant; heat maps
probing     accuracies of probes, task by task, and by layer
corpus      sizes, lengths, what cleaning dropped
parsing     how good the parser is, and what it could not parse
trees       sentences with their tree, and their phrases at each level
phrases     phrases by length and by tag
subwords    byte-pair encoding: sizes, how words are split
alignments  links as matrices, against gold links where there are any
provenance  parameters, hashes, versions
"""
