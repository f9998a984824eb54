"""Stage `probe_data`: sentences with labels of their trees, to probe encoders.

The tasks are those of Shi et al. 2016 (`pipeline.probing.labels`), sizes and splits those of Hao et
al. 2019, section 4.4: 120,000 sentences, 10 to train on for each one to validate and to test on.
Splits share no text. Encoders see the phrases of the parser's trees, as in translation, whichever
trees the labels are of. Classes are those of the training split; other labels are of the class
`OTHER`, which no probe learns, so they count as mistakes.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from mgsa.base.cli import run
from mgsa.base.command import Input, OutputFolder, Report
from mgsa.base.settings import InputPath, Positive, Seed
from pipeline.base.stage import SPLITS, stage, stage_outputs

FILES = (*(f"{split}.parquet" for split in SPLITS), "*.json")


@dataclass(frozen=True)
class ProbeDataSettings:
    """The data that probes are trained and tested on.

    Attributes:
        trees: source of labels: `parsed` (the parser's trees of the training split), `gold` (those
            of the corpus), or a file of bracketed trees with their words.
        sentences: the most to take.
        shares: of train, valid and test.
        tss_classes: the most frequent top-level syntactic sequences; the others share one more.
        seed: of the choice of sentences.
    """

    trees: InputPath
    sentences: Positive
    shares: tuple[Positive, ...]
    tss_classes: Positive
    seed: Seed

    def __post_init__(self) -> None:
        if len(self.shares) != 3:
            raise ValueError(f"shares: expected those of train, valid, test, got {self.shares}")


def make_probe_data(
    probe_data: ProbeDataSettings,
    *,
    parsed: Annotated[Path, Input("parse's output")],
    tokenized: Annotated[Path, Input("the tokens parsed, and gold trees if the corpus has any")],
    dataset: Annotated[Path, Input("the dataset artifact whose subwords and tags are used")],
    out: Annotated[Path, OutputFolder("probing data", *FILES)],
    report: Annotated[Path | None, Report("counts (JSON)")] = None,
) -> None:
    """Label sentences by their trees, for probes."""
    from mgsa.data.dataset import open_dataset
    from pipeline.probing.build import build_probe_data
    from pipeline.probing.sentences import find_files

    files = find_files(probe_data.trees, parsed=parsed, tokenized=tokenized)
    opened = open_dataset(dataset)
    with stage_outputs(out, report) as (folder, metrics):
        metrics.update(build_probe_data(opened, files, probe_data, folder))
    sizes = ", ".join(f"{metrics[split]['sentences']:,} {split}" for split in SPLITS)
    print(
        f"probe_data: {sizes}, of {metrics['read']:,} sentences "
        f"({metrics['duplicates']:,} duplicates, {metrics['flat']:,} with flat trees)",
        file=sys.stderr,
    )


main = stage(make_probe_data)

if __name__ == "__main__":
    sys.exit(run(main))
