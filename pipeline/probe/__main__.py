"""Syntax in encoders: classifiers of their states, scored beside the majority class.

Table 5 of Hao et al. 2019 (section 4.4): the frozen encoders of translation models, and encoders of
three layers that learn each task from scratch, with words, n-grams, syntactic phrases (their
boundaries, without tags), or phrases and an ON-LSTM. The tasks are those of Shi et al. 2016. Beyond
the paper: intervals, and probes of every layer.
"""

import sys
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, OutputFolder, Report
from mgsa.cli.files import open_to_write
from mgsa.cli.outputs import MANIFEST, sha256
from mgsa.cli.run import run
from mgsa.cli.settings import to_mapping
from mgsa.run_config import RunConfig
from pipeline.charts import write_figure
from pipeline.formats.tables import write_csv
from pipeline.formats.text import SPLITS
from pipeline.probe.settings import ProbeConfig
from pipeline.stage.command import stage, stage_outputs

TABLE = "probe.csv"


def probe_encoders(
    probe: ProbeConfig,
    run: RunConfig,
    *,
    probing: Annotated[Path, Input("probe_data's output")],
    model: Annotated[
        dict[str, Path],
        Input(
            "model artifact; may be repeated. Encoders from scratch take the sizes of the first",
            "NAME=DIR",
        ),
    ],
    out: Annotated[Path, OutputFolder("table and figures", "probe accuracies")],
    report: Annotated[Path | None, Report("accuracies (JSON)")] = None,
) -> None:
    """Probe what encoders know of syntax: one table of several models."""
    import torch

    from mgsa.artifact.model import load_model
    from mgsa.data.dataset import open_dataset
    from mgsa.decoding.opened import choose_device
    from pipeline.formats.probing import PROBING
    from pipeline.probe.accuracies import (
        COLUMNS,
        accuracy_chart,
        last_layers,
        layer_chart,
        markdown_table,
        report_of,
    )
    from pipeline.probe.encoders import check_models, probe_all

    device = choose_device(run.accelerator)
    data = open_dataset(probing, kind=PROBING)
    models = {name: load_model(folder) for name, folder in model.items()}
    check_models(models, data, probe)
    recipe = {
        **to_mapping(probe),
        "probing": data.manifest.identity,
        "sentences": {split: data.num_rows(split) for split in SPLITS},
        "models": {name: sha256(folder / MANIFEST) for name, folder in model.items()},
        "torch": torch.__version__,
    }
    with stage_outputs(out, report) as (folder, metrics):
        table = probe_all(models, data, probe, device)
        last, lines = last_layers(table), list(markdown_table(table))
        write_csv(table, folder / TABLE, COLUMNS)
        with open_to_write(folder / "probe.md") as file:
            file.writelines(f"{line}\n" for line in lines)
        (folder / "figures").mkdir()
        if table:
            write_figure(accuracy_chart(last), folder / "figures" / "probe.svg")
        if len(table) > len(last):
            write_figure(layer_chart(table), folder / "figures" / "layers.svg")
        metrics.update(report_of(table, recipe))
    print(*lines, sep="\n")


main = stage(probe_encoders)

if __name__ == "__main__":
    sys.exit(run(main))
