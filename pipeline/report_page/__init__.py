"""The page of the stage `report`: sections, their drawings, and templates beside them.

A section is a module of `sections/` with one function, `context(inputs)`, that gives what its
template `templates/sections/NAME.html` is filled with, or `None` where its inputs are not given:
then the section is left out, of the contents too. To add one, as `probing` is there for the stage
`probe`, which wrote a report `data/reports/probe.json`:

1.  `sections/probing.py`: `context(inputs: Inputs) -> Context | None`. `inputs.report("probe")` is
    the report, `system.report("probe")` that of each of `inputs.systems` (the run itself is one of
    them), `read_table` reads a table; all raise an `InputError` that names file and key. Drawings
    are numbers (`charts/`), so that a test can compare them with the file they came from.
2.  `templates/sections/probing.html`: no heading, since the page gives it; macros for tables,
    charts, bars and the list of files are in `templates/parts.html`. Text is escaped where it is
    filled in.
3.  A line in `contents.py`, which is the order of the page; one in the map of `sections/`.
4.  Where it reads a folder that no section read before: a line in `inputs.PATHS`, which makes an
    option of the command too, and the path in `dvc.yaml`. What is no folder of the run, as the
    files of `tables`, is an attribute of `Inputs`, and an option in `pipeline/report.py`.

In reading order:

numbers          what a stage reported, read strictly
system           a system: translations, scores, curves, attention
inputs           what was given, and what several sections read of it
section          what a section is
tags             families of tags: what phrases are coloured by
drawn_sentences  which sentences are drawn
sentence_scores  the score of each sentence, and which are listed for it
word_diff        a translation beside its reference, word by word
charts/          drawings as numbers
sections/        one module a section
contents         the sections in order
page             sections as HTML, in one file
"""
