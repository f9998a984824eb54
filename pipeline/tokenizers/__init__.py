"""Sentences to tokens and back, a tokeniser a file.

moses  Moses' rules, by sacremoses
"""
