"""The page of the stage `report`.

A section is a function from `Inputs` to the blocks that it shows: text, tables, charts, and groups
of them. To add one: write that function, and a line in `page.SECTIONS`. A section whose inputs are
missing yields nothing, and is left out. In reading order:

inputs      what was given: systems, and the outputs and reports of stages
numbers     numbers for people
markup      pieces of HTML, escaped
blocks      tables, charts, groups of them
results     sections: overview, scores, systems over seeds
sentences   section: sentence scores, translations beside their reference
patterns    section: phrasal patterns
model       sections: learning curves, attention
probing     section: accuracies of probes
data        sections: corpus, subwords
syntax      sections: parser, trees, phrase statistics
alignments  section: word alignments
provenance  section: stages, parameters, hashes, versions
page        the sections in order, as HTML in one file
"""
