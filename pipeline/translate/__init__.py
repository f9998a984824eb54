"""Translations: of raw text on stdin, and, as the stage `translate`, of a dataset's split.

split     STAGE: translations of a split, detokenised, beside sources and references
__main__  COMMAND: raw text in on stdin, translations out on stdout
"""
