"""The page of the stage `report`.

A section is a function from `Inputs` to pieces of HTML: text, tables, charts, and groups of them.
To add one: write that function, and a line in `page.SECTIONS`. A section whose inputs are missing
yields nothing, and is left out. In reading order:

settings    sentences on the page
inputs      what was given: systems, and the outputs and reports of stages
blocks      numbers, tables, charts, and groups of them, as HTML
results     sections: overview, scores, systems over seeds, learning curves
contrasts   section: contrastive accuracy, examples
sentences   section: sentence scores, translations beside their reference
analysis    sections: phrasal patterns, attention, probing
data        sections: corpus, subwords, word alignments
syntax      sections: parser, trees, phrase statistics
provenance  section: stages, parameters, hashes, versions
page        the sections in order, as HTML in one file
"""
