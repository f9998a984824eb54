"""The command `python -m pipeline.dataset`: build a dataset, or verify one."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, OutputFolder, ParameterFile, Report, command
from mgsa.cli.run import run
from mgsa.cli.settings import to_mapping
from mgsa.run_config import RunConfig
from pipeline.dataset.manifest import FILES, recorded, recorded_parameters
from pipeline.dataset.settings import DatasetSettings
from pipeline.formats.tables import Record
from pipeline.formats.text_settings import TEXT
from pipeline.formats.trees import PARSER
from pipeline.stage.command import stage, stage_outputs


def build(
    dataset: DatasetSettings,
    run: RunConfig,
    *,
    params: Annotated[Path, ParameterFile()],
    corpus: Annotated[Path, Input("raw parallel text", holds="corpus.json")],
    tokenized: Annotated[Path, Input("tokenised text", holds=TEXT)],
    bpe: Annotated[Path, Input("BPE codes, vocabularies and segmented text", holds="vocab.source")],
    partitions: Annotated[Path, Input("phrases", holds=PARSER)],
    parser: Annotated[Path, Input("the parser that the phrases come from", holds=PARSER)],
    alignments: Annotated[
        Path | None, Input("word links of the tokenised text (without it: none)")
    ] = None,
    reports: Annotated[
        list[Path], Input("what the stages before reported (JSON), for the card", metavar="FILE")
    ] = [],  # noqa: B006
    out: Annotated[Path, OutputFolder("the artifact", *FILES)],
    report: Annotated[Path | None, Report()] = None,
) -> None:
    """Build the dataset artifact.

    `--verify DIR` checks every row of one that is there.
    """
    from pipeline.dataset.build import build_dataset
    from pipeline.dataset.rows import StageOutputs

    parameters = recorded_parameters(params) | {"dataset": recorded(to_mapping(dataset))}
    inputs = StageOutputs(corpus, tokenized, bpe, partitions, parser, alignments)
    figures = {name: value for path in reports for name, value in Record.read(path).items()}
    with stage_outputs(out, report) as (folder, metrics):
        built = build_dataset(inputs, dataset, parameters, figures, folder, workers=run.workers)
        metrics.update(built)


def verify(*, verify: Annotated[Path, Input("the artifact")]) -> None:
    """Check a dataset, every row of it."""
    from mgsa.data.dataset import verify_dataset

    counts = verify_dataset(verify).manifest.rows.items()
    rows = ", ".join(f"{count:,} {split}" for split, count in counts)
    print(f"{verify}: {rows} rows, all as the manifest says")


def main(argv: Sequence[str] | None = None) -> None:
    """Build a dataset; or, if the first argument is `--verify`, check one."""
    words = sys.argv[1:] if argv is None else argv
    if words and words[0] == "--verify":
        command(verify, "python -m pipeline.dataset")(words)
    else:
        stage(build)(words)


if __name__ == "__main__":
    sys.exit(run(main))
