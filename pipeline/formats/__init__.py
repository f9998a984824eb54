"""Files that stages exchange, and the meaning of their lines and rows.

tables         JSON objects, rows as CSV and Markdown
text           parallel text
markup         translation memories and test sets
containers     sentences in the formats that public corpora have
translations   translations beside their references, by test set
trees          bracketed constituency trees
phrases        phrases of a sentence, by level
links          word alignments in Pharaoh's format
link_files     those of other tools, and what they count
contrasts      targets that are wrong in one respect
text_settings  how text becomes tokens, as folders record it
preprocessing  the settings by which an artifact's rows came from raw text
probing        rows with labels of syntactic tasks
"""
