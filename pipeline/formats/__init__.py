"""What stages hand on: files, and what a line or a row of them is.

tables         JSON objects, rows as CSV and Markdown
text           parallel text
trees          bracketed constituency trees
phrases        phrases of a sentence, by level
links          word alignments in Pharaoh's format
contrasts      targets that are wrong in one respect
preprocessing  the settings by which an artifact's rows came from raw text
probing        rows with labels of syntactic tasks
"""
