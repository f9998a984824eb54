"""Stage `report`: one HTML file about a run, or about several systems side by side.

It needs no network and no server, and it shows the numbers of the files that the stages wrote, so
`dvc plots show` and `dvc metrics diff` tell the same.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from mgsa.base.cli import run
from mgsa.base.command import Input, OutputFolder, ParameterFile
from mgsa.base.errors import InputError
from mgsa.base.io import atomic_folder, open_to_write
from mgsa.base.settings import Count, Positive, read_yaml
from pipeline.base.stage import stage

PAGE = "index.html"
RUN = "this run"
"""The run's own system where nothing names its model."""


@dataclass(frozen=True)
class ReportSettings:
    """What the page shows of its sentences.

    `sentences` of the split, spread over their lengths up to `max_words` source words, are drawn.
    Of the worst, of the best and of those that systems differ in most, `ranked` are listed, by the
    sentence score `metric`.
    """

    split: str
    sentences: Count
    max_words: Positive
    ranked: Count
    metric: Literal["chrf", "bleu"]


def write_report(
    report: ReportSettings,
    *,
    params: Annotated[Path, ParameterFile()],
    reports: Annotated[Path | None, Input("the stages' reports: STAGE.json")] = None,
    corpus: Annotated[Path | None, Input("raw text")] = None,
    tokenized: Annotated[Path | None, Input("tokenised text")] = None,
    parser: Annotated[Path | None, Input("the parser")] = None,
    parsed: Annotated[Path | None, Input("trees of the source side")] = None,
    partitions: Annotated[Path | None, Input("phrases of every level")] = None,
    phrase_counts: Annotated[Path | None, Input("--plots of the stage partition")] = None,
    alignments: Annotated[Path | None, Input("word links")] = None,
    dataset: Annotated[Path | None, Input("dataset artifact")] = None,
    model: Annotated[Path | None, Input("model artifact")] = None,
    translations: Annotated[Path | None, Input("translations of the model")] = None,
    contrast: Annotated[Path | None, Input("output of the stage contrast")] = None,
    curves: Annotated[Path | None, Input("--plots of the stage train")] = None,
    attention: Annotated[Path | None, Input("output of the stage analyze")] = None,
    patterns: Annotated[Path | None, Input("output of the stage phrasal_patterns")] = None,
    gold: Annotated[
        Path | None,
        Input(
            "gold links of the split, 3-4 for sure and 3p4 for possible ones (default: those of "
            "the corpus, if any)",
            "FILE",
        ),
    ] = None,
    system: Annotated[
        dict[str, Path] | None,
        Input(
            "systems to compare, whose folders are laid out as experiments/runs/NAME; DIR alone is "
            "named for its last part",
            "NAME=DIR",
        ),
    ] = None,
    table: Annotated[
        list[Path] | None,
        Input("tables of pipeline.experiment: experiments/tables/NAME.json", "FILE"),
    ] = None,
    out: Annotated[Path, OutputFolder(f"{PAGE}, which is all of it", PAGE)],
) -> None:
    """One HTML file about a run, or about systems side by side.

    Every folder is optional: a section whose inputs are not given is left out.
    """
    from pipeline.base.tables import Record
    from pipeline.report_page.inputs import Inputs, System
    from pipeline.report_page.page import render

    folders = {
        "reports": reports,
        "corpus": corpus,
        "tokenized": tokenized,
        "parser": parser,
        "parsed": parsed,
        "partitions": partitions,
        "phrase-counts": phrase_counts,
        "alignments": alignments,
        "dataset": dataset,
        "model": model,
        "translations": translations,
        "contrast": contrast,
        "curves": curves,
        "attention": attention,
        "patterns": patterns,
    }
    paths = {name: path for name, path in folders.items() if path is not None}
    for name, path in paths.items():
        if not path.is_dir():
            raise InputError(f"--{name}: no such folder", path=path)
    systems = {name: System.in_folder(name, folder) for name, folder in (system or {}).items()}
    parts = (translations, curves, attention, model, contrast)
    own = System(RUN, reports, *parts)
    is_run = any((*parts, own.report("evaluate")))
    if is_run:
        own = replace(own, name=(own.report("params") or Record()).get("model", RUN))
        if own.name in systems:
            raise InputError(f"--system {own.name}: expected another name, the run's model has it")
        systems = {own.name: own, **systems}
    parameters = read_yaml(params) if is_run or not (system or table) else None
    inputs = Inputs(report, parameters, paths, gold, list(systems.values()), table or [])
    page = render(inputs)
    with atomic_folder(out) as folder, open_to_write(folder / PAGE) as file:
        file.write(page)


main = stage(write_report)


if __name__ == "__main__":
    sys.exit(run(main))
