"""What encoders know of syntax: classifiers of their states, scored beside the majority class.

Table 5 of Hao et al. 2019 (section 4.4): the frozen encoders of translation models, and encoders of
three layers that learn each task from scratch, with words, n-grams, syntactic phrases (their
boundaries, without tags), or phrases and an ON-LSTM. The tasks are those of Shi et al. 2016. Beyond
the paper: intervals, and probes of every layer.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mgsa.base.cli import run
from mgsa.base.command import Input, Option, OutputFolder, Report
from mgsa.base.errors import InputError
from mgsa.base.io import open_to_write
from mgsa.base.settings import Accelerator
from mgsa.probing.settings import PRETRAINED, ProbeConfig
from pipeline.base.stage import stage, stage_outputs
from pipeline.base.tables import write_csv

if TYPE_CHECKING:
    from pipeline.probing.accuracies import Accuracy

TABLE = "probe.csv"


def write_outputs(table: Sequence[Accuracy], folder: Path) -> None:
    """Write the table as CSV and Markdown, and its figures."""
    from pipeline.probing.accuracies import COLUMNS, last_layers, markdown_table
    from pipeline.probing.figures import draw_bars, draw_layers

    write_csv([asdict(row) for row in table], folder / TABLE, COLUMNS)
    with open_to_write(folder / "probe.md") as file:
        file.writelines(f"{line}\n" for line in markdown_table(table))
    (folder / "figures").mkdir()
    if table:
        draw_bars(table, folder / "figures" / "probe.svg")
    if len(table) > len(last_layers(table)):
        draw_layers(table, folder / "figures" / "layers.svg")


def probe_encoders(
    probe: ProbeConfig,
    *,
    probing: Annotated[Path, Input("probe_data's output")],
    model: Annotated[
        dict[str, Path],
        Input(
            "model artifact; may be repeated. Encoders from scratch take the sizes of the first",
            "NAME=DIR",
        ),
    ],
    out: Annotated[Path, OutputFolder("table and figures", TABLE, "probe.md", "figures/*.svg")],
    report: Annotated[Path | None, Report("accuracies (JSON)")] = None,
    accelerator: Annotated[Accelerator, Option("device of the encoders (default: auto)")] = "auto",
) -> None:
    """Probe what encoders know of syntax: one table of several models."""
    from mgsa.decoding.translate import choose_device
    from mgsa.model_artifact import load_model
    from mgsa.probing.data import open_probing_data
    from pipeline.probing.accuracies import describe, report_of
    from pipeline.probing.encoders import check_models, probe_all, recipe_of

    for name in model:
        if name in probe.encoders and name != PRETRAINED:
            raise InputError(f"--model {name}=…: expected another name than that of an encoder")
    device = choose_device(accelerator)
    data = open_probing_data(probing)
    models = {name: load_model(folder) for name, folder in model.items()}
    check_models(models.values(), data, probe)
    with stage_outputs(out, report) as (folder, metrics):
        table = probe_all(models, data, probe, device)
        write_outputs(table, folder)
        metrics.update(report_of(table, recipe_of(models, data, probe)))
    for line in describe(table):
        print(line)


main = stage(probe_encoders)

if __name__ == "__main__":
    sys.exit(run(main))
