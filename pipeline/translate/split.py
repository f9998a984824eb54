"""Stage `translate`: a split of a dataset translated and detokenised.

The rows of a dataset have tokenising, parsing and subwords behind them.
"""

import sys
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, Option, OutputFolder
from mgsa.cli.files import atomic_folder
from mgsa.cli.run import run
from mgsa.config import DEFAULT_TRANSLATE_CONFIG, TranslateConfig
from mgsa.data.controls import read_rows
from mgsa.decoding.commands import ModelFolders, PhrasesOption, opened_split
from mgsa.run_config import Accelerator
from pipeline.formats.text import files_to_write
from pipeline.stage.command import stage

WRITTEN = ("hypotheses", "sources", "references", "scores")


def translate_split(
    translate: TranslateConfig = DEFAULT_TRANSLATE_CONFIG,
    *,
    model: ModelFolders,
    dataset: Annotated[Path, Input("dataset artifact")],
    split: Annotated[str, Option("such as test", "NAME")],
    out: Annotated[
        Path,
        OutputFolder(
            "for NAME.hypotheses, NAME.sources, NAME.references and NAME.scores",
            *(f"{{split}}.{name}" for name in WRITTEN),
        ),
    ],
    phrases: PhrasesOption = "parsed",
    accelerator: Annotated[Accelerator, Option("(default: auto)")] = "auto",
) -> None:
    """Translate a split of a dataset, a line a sentence.

    Without params.yaml: beam 5, length penalty 0.6.
    """
    from pipeline.formats.preprocessing import Preprocessing
    from pipeline.tokenizers import tokenizer_of

    target = tokenizer_of(Preprocessing.read(model[0]).target_language)
    with (
        opened_split("translate", model, dataset, split, accelerator) as (loaded, data, advance),
        atomic_folder(out) as folder,
        files_to_write(folder, [f"{split}.{name}" for name in WRITTEN]) as files,
    ):
        found = loaded.translate_rows(read_rows(data, split, phrases), translate, advance=advance)
        sources, references = data.texts(split, "source_text"), data.texts(split, "target_text")
        hypothesis_file, source_file, reference_file, score_file = files.values()
        for translation, source, reference in zip(found, sources, references, strict=True):
            hypothesis_file.write(f"{target.detokenize(translation.text.split())}\n")
            source_file.write(f"{source}\n")
            reference_file.write(f"{reference}\n")
            score_file.write(f"{translation.score:.6f}\n")


main = stage(translate_split)

if __name__ == "__main__":
    sys.exit(run(main))
