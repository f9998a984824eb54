"""A model's attention: shares by quadrant and layer, and heat maps of sentences.

Tables 3 and 4 and figures 4 to 6 of Nguyen & Joty 2018, and figure 3 of Hao et al. 2019 (the layer
above the one with phrases), for any model. The target is the reference.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mgsa.cli.command import Input, OutputFolder, Report
from mgsa.cli.errors import InputError
from mgsa.cli.progress import progress
from mgsa.cli.run import run
from mgsa.run_config import RunConfig
from pipeline.analyze.settings import SHARES, AnalyzeSettings
from pipeline.formats.tables import write_csv
from pipeline.stage.command import stage, stage_outputs

if TYPE_CHECKING:
    from mgsa.data.batch import Row as Pair
    from mgsa.data.dataset import Dataset
    from mgsa.decoding.opened import OpenedModel
    from pipeline.analyze.quadrants import Shares


def count_attention(loaded: OpenedModel, dataset: Dataset, settings: AnalyzeSettings) -> Shares:
    """Attention shares of each layer over the split."""
    from mgsa.data.batching import evaluation_batches
    from pipeline.analyze.quadrants import attention_shares

    split, model = settings.split, loaded.artifacts[0].model
    batches = evaluation_batches(
        dataset,
        split,
        batch_tokens=settings.batch_tokens,
        granularities=model.granularities,
        ngram_unit=model.ngram_unit,
        limit=None,
    )
    shown = progress(
        batches,
        f"analyze {split}",
        total=dataset.num_rows(split),
        unit="sentences",
        size=lambda batch: len(batch.index),
    )
    return attention_shares(model, shown, loaded.device)


def draw_heat_maps(loaded: OpenedModel, pair: Pair, folder: Path, title: str) -> None:
    """Write the heat map of every layer for one pair: `encoder_1.svg` and so on."""
    from pipeline.analyze.figures import heat_map_chart
    from pipeline.analyze.heat_maps import heat_maps_of_row
    from pipeline.charts import write_figure

    folder.mkdir(parents=True)
    for each in heat_maps_of_row(loaded.artifacts[0], pair):
        write_figure(heat_map_chart(each, title), folder / f"{each.place}_{each.layer}.svg")


def analyze_attention(
    analyze: AnalyzeSettings,
    run: RunConfig,
    *,
    model: Annotated[Path, Input("model artifact")],
    dataset: Annotated[Path, Input("dataset artifact")],
    out: Annotated[Path, OutputFolder("table of shares and heat maps", "attention shares")],
    report: Annotated[Path | None, Report("shares by quadrant (JSON)")] = None,
) -> None:
    """Count and draw what a model attends to."""
    from mgsa.data.dataset import open_dataset
    from mgsa.decoding.opened import OpenedModel
    from pipeline.analyze.quadrants import by_quadrant, quadrant

    loaded = OpenedModel.load(model, accelerator=run.accelerator, workers=run.workers)
    opened = open_dataset(dataset)
    loaded.check_dataset(opened)
    split, rows = analyze.split, opened.num_rows(analyze.split)
    if not rows:
        raise InputError(f"expected sentences in {split}", path=dataset)
    for row in analyze.sentences:
        if row >= rows:
            expected = f"expected rows of {split}, 0 to {rows - 1}"
            raise InputError(f"analyze.sentences: {expected}, got {row}")
    with stage_outputs(out, report) as (folder, metrics):
        table = []
        for place, layers in count_attention(loaded, opened, analyze).items():
            metrics[place] = {}
            for layer, shares in enumerate(layers, start=1):
                names = by_quadrant(shares)
                metrics[place][f"layer_{layer}"] = {n: round(x, 6) for n, x in names.items()}
                shown = (f"{name.replace('_', ' ')} {100 * x:.1f}%" for name, x in names.items())
                print(f"{place} {layer}: {', '.join(shown)}")
                for name, share in shares.items():
                    cell = {"place": place, "layer": layer, "attention": name}
                    table.append(cell | {"quadrant": quadrant(name), "share": f"{share:.6f}"})
        write_csv(table, folder / SHARES)
        (folder / "heat_maps").mkdir()
        pairs = opened.rows(split, analyze.sentences)
        for pair in progress(pairs, "draw", unit="sentences"):
            title = f"{split}, sentence {pair.index}"
            maps = folder / "heat_maps" / f"{split}_{pair.index}"
            draw_heat_maps(loaded, pair, maps, title)


main = stage(analyze_attention)

if __name__ == "__main__":
    sys.exit(run(main))
