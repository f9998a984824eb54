"""What a model attends to: shares of attention by quadrant and layer, and maps of sentences.

The paper's tables 3 and 4 and figures 4 to 6 (Nguyen & Joty 2018), and for MG-SA its figure 3 (Hao
et al. 2019: the layer above the one with phrases), for any model; references are the target.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mgsa.base.cli import progress, run
from mgsa.base.errors import InputError
from mgsa.base.io import open_to_write
from pipeline.analysis_settings import SHARES, AnalyzeSettings
from pipeline.base.stage import argument_parser, atomic_outputs, read_settings

if TYPE_CHECKING:
    from mgsa.analysis.heat_maps import HeatMap
    from mgsa.analysis.quadrants import Shares
    from mgsa.data.artifact import Dataset
    from mgsa.data.batch import Row
    from mgsa.decoding.translator import Translator


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


def sentence_maps(translator: Translator, pair: Row) -> Iterator[HeatMap]:
    """The map of every layer for one pair."""
    import torch

    from mgsa.analysis.heat_maps import Sentence, heat_maps
    from mgsa.data.batch import make_batch

    artifact = translator.artifacts[0]
    model = artifact.model
    batch = make_batch([pair], model.granularities, ngram_unit=model.ngram_unit)
    with torch.inference_mode():
        output = model(batch.to(translator.device), need_weights=True)
    yield from heat_maps(output, Sentence.of(batch, artifact.vocabularies))


def write_shares(shares: Shares, path: Path) -> None:
    """A line for each layer and kind of attention, as CSV."""
    from mgsa.analysis.quadrants import quadrant

    with open_to_write(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["place", "layer", "attention", "quadrant", "share"])
        for place, layers in shares.items():
            for layer, of_layer in enumerate(layers, start=1):
                for name, share in of_layer.items():
                    writer.writerow([place, layer, name, quadrant(name), f"{share:.6f}"])


def report_of(shares: Shares) -> dict[str, dict[str, dict[str, float]]]:
    """Place, layer, quadrant: what DVC compares."""
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


def main(argv: Sequence[str] | None = None) -> None:
    """Count attention and draw it."""
    arguments = _parser().parse_args(argv)
    settings = read_settings(arguments, "analyze", AnalyzeSettings)

    from mgsa.data.artifact import open_dataset
    from mgsa.decoding.translator import Translator

    translator = Translator.load(arguments.model, accelerator=arguments.accelerator)
    dataset = open_dataset(arguments.dataset)
    translator.check_dataset(dataset)
    _check_sentences(settings, dataset, arguments.params)
    read = [arguments.model, arguments.dataset]
    with atomic_outputs(arguments.out, arguments.report, SHARES, inputs=read) as (out, report):
        shares = attention_shares(translator, dataset, settings)
        write_shares(shares, out / SHARES)
        (out / "heat_maps").mkdir()
        for pair in dataset.rows(settings.split, settings.sentences):
            folder = out / "heat_maps" / f"{settings.split}_{pair.index}"
            named = f"{settings.split}, sentence {pair.index}"
            _draw(sentence_maps(translator, pair), folder, named, settings.figures)
        report.update(report_of(shares))
    for line in describe(report):
        print(line)


def _check_sentences(settings: AnalyzeSettings, dataset: Dataset, params: Path) -> None:
    rows = dataset.num_rows(settings.split)
    if not rows:
        raise InputError(f"expected sentences in {settings.split}", path=dataset.folder)
    for row in settings.sentences:
        if row >= rows:
            raise InputError(
                f"analyze.sentences: expected rows of {settings.split}, 0 to {rows - 1}, got {row}",
                path=params,
            )


def _draw(heat_maps: Iterator[HeatMap], folder: Path, sentence: str, kind: str) -> None:
    """Write the maps of a sentence, as `encoder_1.svg` and so on."""
    from pipeline.figures import draw_heat_map

    folder.mkdir()
    shown = progress(
        heat_maps, f"draw {folder.name}", total=None, unit="heat maps", size=lambda _: 1
    )
    for heat_map in shown:
        path = folder / f"{heat_map.place}_{heat_map.layer}.{kind}"
        draw_heat_map(heat_map, path, sentence=sentence)


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("analyze", "Count and draw what a model attends to.")
    parser.add_argument("--model", type=Path, required=True, metavar="DIR", help="model artifact")
    parser.add_argument(
        "--dataset", type=Path, required=True, metavar="DIR", help="dataset artifact"
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help=f"for {SHARES} and the folder heat_maps",
    )
    parser.add_argument(
        "--report", type=Path, required=True, metavar="FILE", help="shares by quadrant, as JSON"
    )
    parser.add_argument(
        "--accelerator", choices=["cpu", "gpu", "auto"], default="auto", help="(default: auto)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(run(main))
