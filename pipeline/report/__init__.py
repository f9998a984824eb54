"""Stage `report`: one HTML page about a run or a comparison, in reading order:

settings    the sentences on the page
inputs      outputs of the stages, each of which may be missing
blocks      tables, figures and other parts of a page
syntax      trees and phrases, drawn
data        corpus, parser, phrases, subwords, links
results     scores, curves and tables of systems
contrasts   contrastive accuracies
analysis    attention, phrasal patterns, probing
sentences   translations of single sentences
provenance  what was run, when and where
page        all sections
__main__    STAGE: the command
"""
