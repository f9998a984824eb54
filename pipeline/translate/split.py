"""Stage `translate`: a split of a dataset translated and detokenised.

The rows of a dataset have tokenising, parsing and subwords behind them.
"""

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, Option, OutputFolder
from mgsa.cli.outputs import atomic_folder
from mgsa.cli.run import run
from mgsa.config import DEFAULT_TRANSLATE_CONFIG, TranslateConfig
from mgsa.data.controls import read_rows
from mgsa.decoding.commands import ModelFolders, PhrasesOption, opened_split
from mgsa.run_config import DEFAULT_RUN_CONFIG, RunConfig
from pipeline.formats.text import files_to_write
from pipeline.stage.command import stage

WRITTEN = ("hypotheses", "sources", "references", "sets", "scores")


def translate_split(
    translate: TranslateConfig = DEFAULT_TRANSLATE_CONFIG,
    run: RunConfig = DEFAULT_RUN_CONFIG,
    *,
    model: ModelFolders,
    dataset: Annotated[Path, Input("dataset artifact")],
    split: Annotated[str, Option("such as test", "NAME")],
    out: Annotated[
        Path,
        OutputFolder(
            "for NAME.hypotheses, sources, references (and references.2, …), sets and scores",
            "translations of {split}",
        ),
    ],
    phrases: PhrasesOption = "parsed",
) -> None:
    """Translate a split of a dataset, a line a sentence.

    Without params.yaml: beam 5, length penalty 0.6.
    """
    from pipeline.tokenizers.side import side_text

    target = side_text(model[0], "target")
    with (
        opened_split("translate", model, dataset, split, run) as (loaded, data, advance),
        atomic_folder(out) as folder,
    ):
        further = partial(data.texts, split, "references")
        columns = range(max((len(others or ()) for others in further()), default=0))
        names = [f"{split}.{name}" for name in WRITTEN]
        names += [f"{split}.references.{n + 2}" for n in columns]
        found = loaded.translate_rows(
            read_rows(data, split, phrases),
            translate,
            words=(text.split(" ") for text in data.texts(split, "source_tokens")),
            advance=advance,
        )
        texts = (data.texts(split, name) for name in ("source_text", "target_text", "set"))
        with files_to_write(folder, names) as files:
            for translation, source, reference, test_set, others in zip(
                found, *texts, further(), strict=True
            ):
                lines = [target.detokenize(translation.n_best[0].tokens), source, reference]
                lines += [test_set or split, f"{translation.score:.6f}"]
                lines += [others[n] if n < len(others or ()) else "" for n in columns]
                for file, line in zip(files.values(), lines, strict=True):
                    file.write(f"{line}\n")


main = stage(translate_split)

if __name__ == "__main__":
    sys.exit(run(main))
