"""Stage `dataset`: the dataset artifact, or every row of one checked (`--verify`)."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from mgsa.cli.command import Input, OutputFolder, Report, command
from mgsa.cli.errors import InputError
from mgsa.cli.outputs import MANIFEST, origin_of, recorded_settings
from mgsa.cli.run import run
from mgsa.run_config import RunConfig
from pipeline.dataset.settings import DatasetSettings
from pipeline.formats.tables import Record
from pipeline.stage.command import stage, stage_outputs

REPORTS = [f"pipeline.{stage}" for stage in ("tokenize", "parser", "parse", "align")]


def build(
    dataset: DatasetSettings,
    run: RunConfig,
    *,
    corpus: Annotated[Path, Input("raw parallel text", kind="raw text")],
    tokenized: Annotated[Path, Input("tokenised text", kind="tokenised text")],
    bpe: Annotated[Path, Input("BPE codes, vocabularies and segmented text", kind="subwords")],
    partitions: Annotated[Path, Input("phrases", kind="phrases")],
    parser: Annotated[Path, Input("the parser that the phrases come from", kind="parser")],
    alignments: Annotated[
        Path | None, Input("word links of the tokenised text (without it: none)")
    ] = None,
    reports: Annotated[
        list[Path], Input("what the stages before reported (JSON), for the card", metavar="FILE")
    ] = [],  # noqa: B006
    out: Annotated[Path, OutputFolder("the artifact", "dataset")],
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Build the dataset artifact.

    `--verify DIR` checks every row of one that is there.
    """
    from pipeline.dataset.build import build_dataset
    from pipeline.dataset.rows import StageOutputs

    parameters = Record.of(recorded_settings(), bpe / MANIFEST)
    inputs = StageOutputs(corpus, tokenized, bpe, partitions, parser, alignments)
    figures: dict[str, Any] = {}
    wrote = {"train_kept": tokenized, "dev_trees": parser, "train_unaligned_source": alignments}
    for path in reports:
        figures |= (found := Record.read(path, *REPORTS))
        for folder in (wrote[key] for key in wrote.keys() & found.keys()):
            origin = folder and origin_of(folder)
            if folder is None or (found.origin and origin and found.origin != origin):
                raise InputError(f"expected the report of what wrote {folder}", path=path)
    with stage_outputs(out, report) as (folder, metrics):
        built = build_dataset(inputs, dataset, parameters, figures, folder, workers=run.workers)
        metrics.update(built)


def verify(*, verify: Annotated[Path, Input("the artifact")]) -> None:
    """Check a dataset, every row of it."""
    from mgsa.data.dataset import verify_dataset

    counts = verify_dataset(verify).manifest.rows.items()
    rows = ", ".join(f"{count:,} {split}" for split, count in counts)
    print(f"{verify}: {rows} rows, all but the card as the manifest says")


def main(argv: Sequence[str] | None = None) -> None:
    """Build a dataset; or, if the first argument is `--verify`, check one."""
    words = sys.argv[1:] if argv is None else argv
    if words and words[0] == "--verify":
        command(verify, "python -m pipeline.dataset")(words)
    else:
        stage(build)(words)


if __name__ == "__main__":
    sys.exit(run(main))
