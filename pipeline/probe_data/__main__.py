"""Stage `probe_data`: sentences with labels of their trees, to probe encoders.

The tasks are those of Shi et al. 2016, sizes and splits those of Hao et al. 2019, section 4.4:
120,000 sentences, 10 to train on for each one to validate and to test on. Splits share no text.
Encoders see the phrases of the parser's trees, as in translation, whichever
trees the labels are of. Classes are those of the training split; other labels are of the class
`OTHER`, which no probe learns, so they count as mistakes.
"""

import sys
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, OutputFolder, Report
from mgsa.cli.errors import InputError
from mgsa.cli.run import run
from pipeline.formats.tables import Record
from pipeline.formats.text import SPLITS
from pipeline.formats.trees import PARSER
from pipeline.probe_data.settings import ProbeDataSettings
from pipeline.stage.command import stage, stage_outputs


def make_probe_data(
    probe_data: ProbeDataSettings,
    *,
    parsed: Annotated[Path, Input("trees", kind="trees")],
    tokenized: Annotated[Path, Input("tokenised text", kind="tokenised text")],
    dataset: Annotated[Path, Input("the dataset artifact whose subwords and tags are used")],
    out: Annotated[Path, OutputFolder("probing data", "probing data")],
    report: Annotated[Path | None, Report("counts (JSON)")] = None,
) -> None:
    """Label sentences by their trees, for probes."""
    from mgsa.data.dataset import open_dataset
    from pipeline.formats.preprocessing import Preprocessing
    from pipeline.probe_data.build import build_probe_data
    from pipeline.probe_data.sentences import find_files

    files = find_files(probe_data.trees, parsed=parsed, tokenized=tokenized)
    opened = open_dataset(dataset)
    parser = Record.read(parsed / PARSER)
    if parser["identity"] != Preprocessing.read(dataset).parser.identity:
        message = f"expected trees of the parser that {dataset} names, found another's"
        raise InputError(message, path=parsed)
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
