"""Drawings as numbers: where things are. The templates turn them into SVG and tables.

ticks         round numbers for an axis
line_chart    curves of several systems
bars          shares and intervals, drawn in the cells of a table
text_width    how wide text is, about
tree_drawing  a constituency tree
link_matrix   word links of a pair, against gold links
spans         phrases under a sentence, by displaCy
"""
