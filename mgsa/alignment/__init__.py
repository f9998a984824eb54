"""Forced alignment of given pairs, in reading order:

links         alignments of subwords as alignments of words
pharaoh       links as text
aligner       a model artifact as an object that aligns
translations  a translator's candidates, aligned with their sources
command       `mgsa align`
"""
