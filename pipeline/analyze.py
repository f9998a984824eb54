"""What a model attends to: shares of attention by quadrant and layer, and heat maps of sentences.

Tables 3 and 4 and figures 4 to 6 of Nguyen & Joty 2018, and figure 3 of Hao et al. 2019 (the layer
above the one with phrases), for any model. The target is the reference.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from mgsa.base.cli import progress, run
from mgsa.base.command import Input, Option, OutputFolder, Report
from mgsa.base.errors import InputError
from mgsa.base.settings import Accelerator, Count, Positive
from pipeline.base.stage import stage, stage_outputs
from pipeline.base.tables import Row, write_csv

if TYPE_CHECKING:
    from mgsa.analysis.quadrants import Shares
    from mgsa.data.batch import Row as Pair
    from mgsa.data.dataset import Dataset
    from mgsa.decoding.translate import Translator

SHARES = "attention_shares.csv"


@dataclass(frozen=True)
class AnalyzeSettings:
    """The split whose attention is counted, and its rows (`sentences`) that are drawn."""

    split: str
    sentences: tuple[Count, ...]
    figures: Literal["svg", "png"]
    batch_tokens: Positive

    def __post_init__(self) -> None:
        if len(set(self.sentences)) != len(self.sentences):
            raise ValueError("sentences: expected each once")


def attention_shares(translator: Translator, dataset: Dataset, settings: AnalyzeSettings) -> Shares:
    """The shares of each layer, over all sentences of the split."""
    from mgsa.analysis import quadrants
    from mgsa.data.batching import evaluation_batches

    model = translator.artifacts[0].model
    batches = evaluation_batches(
        dataset,
        settings.split,
        batch_tokens=settings.batch_tokens,
        granularities=model.granularities,
        ngram_unit=model.ngram_unit,
        limit=None,
    )
    shown = progress(
        batches,
        f"analyze {settings.split}",
        total=dataset.num_rows(settings.split),
        unit="sentences",
        size=lambda batch: len(batch.index),
    )
    return quadrants.attention_shares(model, shown, translator.device)


def draw_heat_maps(translator: Translator, pair: Pair, folder: Path, title: str, kind: str) -> None:
    """Write the map of every layer for one pair, as `encoder_1.svg` and so on."""
    import torch

    from mgsa.analysis.heat_maps import heat_maps
    from mgsa.data.batch import make_batch
    from pipeline.base.figures import draw_heat_map

    artifact = translator.artifacts[0]
    model = artifact.model
    batch = make_batch([pair], model.granularities, ngram_unit=model.ngram_unit)
    with torch.inference_mode():
        output = model(batch.to(translator.device), need_weights=True)
    maps = heat_maps(output, batch, artifact.vocabularies)
    folder.mkdir(parents=True)
    for heat_map in progress(
        maps, f"draw {folder.name}", total=None, unit="heat maps", size=lambda _: 1
    ):
        path = folder / f"{heat_map.place}_{heat_map.layer}.{kind}"
        draw_heat_map(heat_map, path, sentence=title)


def share_rows(shares: Shares) -> list[Row]:
    """A row for each layer and name of weights."""
    from mgsa.analysis.quadrants import quadrant

    return [
        {
            "place": place,
            "layer": layer,
            "attention": name,
            "quadrant": quadrant(name),
            "share": f"{share:.6f}",
        }
        for place, layers in shares.items()
        for layer, of_layer in enumerate(layers, start=1)
        for name, share in of_layer.items()
    ]


def report_of(shares: Shares) -> dict[str, dict[str, dict[str, float]]]:
    """Shares by place, layer and quadrant."""
    from mgsa.analysis.quadrants import by_quadrant

    return {
        place: {
            f"layer_{layer}": {name: round(x, 6) for name, x in by_quadrant(of_layer).items()}
            for layer, of_layer in enumerate(layers, start=1)
        }
        for place, layers in shares.items()
    }


def describe(report: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Iterator[str]:
    """One line a layer of what `report_of` gives, for people."""
    for place, layers in report.items():
        for layer, quadrants in layers.items():
            parts = [f"{name.replace('_', ' ')} {100 * x:.1f}%" for name, x in quadrants.items()]
            yield f"{place} {layer.removeprefix('layer_')}: {', '.join(parts)}"


def analyze_attention(
    analyze: AnalyzeSettings,
    *,
    model: Annotated[Path, Input("model artifact")],
    dataset: Annotated[Path, Input("dataset artifact")],
    out: Annotated[
        Path,
        OutputFolder("table of shares and heat maps", SHARES, "heat_maps/*.svg", "heat_maps/*.png"),
    ],
    report: Annotated[Path | None, Report("shares by quadrant (JSON)")] = None,
    accelerator: Annotated[Accelerator, Option("device of the model (default: auto)")] = "auto",
) -> None:
    """Count and draw what a model attends to."""
    from mgsa.data.dataset import open_dataset
    from mgsa.decoding.translate import Translator

    translator = Translator.load(model, accelerator=accelerator)
    opened = open_dataset(dataset)
    translator.check_dataset(opened)
    _check_sentences(analyze, opened)
    with stage_outputs(out, report) as (folder, metrics):
        shares = attention_shares(translator, opened, analyze)
        write_csv(share_rows(shares), folder / SHARES)
        (folder / "heat_maps").mkdir()
        for pair in opened.rows(analyze.split, analyze.sentences):
            maps = folder / "heat_maps" / f"{analyze.split}_{pair.index}"
            title = f"{analyze.split}, sentence {pair.index}"
            draw_heat_maps(translator, pair, maps, title, analyze.figures)
        metrics.update(report_of(shares))
    for line in describe(metrics):
        print(line)


def _check_sentences(settings: AnalyzeSettings, dataset: Dataset) -> None:
    rows = dataset.num_rows(settings.split)
    if not rows:
        raise InputError(f"expected sentences in {settings.split}", path=dataset.folder)
    for row in settings.sentences:
        if row >= rows:
            raise InputError(
                f"analyze.sentences: expected rows of {settings.split}, 0 to {rows - 1}, got {row}"
            )


main = stage(analyze_attention)

if __name__ == "__main__":
    sys.exit(run(main))
