"""A live page: sentences, their phrases as parsed or as cut by hand, what models make of them.

sentence  what models make of a sentence and its phrases
page      that as HTML
__main__  COMMAND: serves it on this machine
"""
