"""`mgsa translate`, `mgsa align` and `mgsa score`: a split of a dataset in, lines out."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

from mgsa.cli.command import Input, Option, OutputFile
from mgsa.cli.errors import InputError
from mgsa.cli.files import atomic_file, read_lines
from mgsa.cli.progress import progress_bar
from mgsa.cli.run import STANDARD_OUTPUT, opened
from mgsa.cli.settings import Positive
from mgsa.config import DEFAULT_TRANSLATE_CONFIG, TranslateConfig
from mgsa.data.controls import PHRASE_SOURCES, Boundaries, read_rows
from mgsa.data.word_links import format_links
from mgsa.run_config import DEFAULT_RUN_CONFIG, RunConfig

if TYPE_CHECKING:
    import numpy as np

    from mgsa.data.dataset import Dataset
    from mgsa.decoding.opened import OpenedModel
    from mgsa.decoding.results import Translation

ModelFolders = Annotated[
    list[Path], Input("model artifact; several are an ensemble that averages probabilities")
]
BatchTokens = Annotated[
    Positive, Option("padded subwords of the longer side in a batch (default: 4096)", "N")
]
PhrasesOption = Annotated[
    Boundaries,
    Option(
        f"what the model is given: {', '.join(map(PHRASE_SOURCES.get, get_args(Boundaries)))} "
        "(default: parsed, the dataset's own)"
    ),
]


@contextmanager
def opened_split(
    work: str, model: Path | list[Path], dataset: Path, split: str, run: RunConfig
) -> Iterator[tuple[OpenedModel, Dataset, Callable[[int], None]]]:
    """Open model and dataset, checked to fit, and a progress bar of `work` over the split's rows.

    Yields both, and the function that advances the bar.
    """
    from mgsa.data.dataset import open_dataset
    from mgsa.decoding.opened import OpenedModel

    data = open_dataset(dataset)
    num_rows = data.num_rows(split)
    loaded = OpenedModel.load(model, accelerator=run.accelerator, workers=run.workers)
    loaded.check_dataset(data)
    with progress_bar(f"{work} {split}", total=num_rows, unit="sentences") as advance:
        yield loaded, data, advance


def translate(
    translate: TranslateConfig = DEFAULT_TRANSLATE_CONFIG,
    run: RunConfig = DEFAULT_RUN_CONFIG,
    *,
    model: ModelFolders,
    dataset: Annotated[Path, Input("dataset artifact")],
    split: Annotated[str, Option("such as test", "NAME")],
    out: Annotated[str, OutputFile("- is stdout (default: -)")] = STANDARD_OUTPUT,
    n_best: Annotated[int | None, Option("translations of each row", "N")] = None,
    scores: Annotated[bool, Option("put the score and a tab before each translation")] = False,
    alignments: Annotated[bool, Option("put word links after each line")] = False,
    prefix: Annotated[
        Path | None,
        Input(
            "how translations must begin: for each row a line of subwords, which may be empty",
            "FILE",
        ),
    ] = None,
    weights: Annotated[
        Path | None,
        OutputFile(
            "write the cross-attention of the best translations: an .npz file of arrays "
            "ROW/layer_N.words, (heads, target subwords, source subwords), end of sentence included"
        ),
    ] = None,
    phrases: PhrasesOption = "parsed",
) -> None:
    """Translate a split of a dataset artifact.

    One line a row, in tokens (`python -m pipeline.translate` is for raw text). With --n-best a row
    has several lines, `ROW ||| TOKENS ||| SCORE`, best first, rows counted from 0. Scores are log
    probabilities over the length penalty. --alignments puts ` ||| LINKS` after each:
    `SOURCE-TARGET` between words counted from 0, as `mgsa align` finds them.

    Without a parameter file: beam 5, length penalty 0.6.
    """
    if n_best is not None and not 1 <= n_best <= translate.beam:
        raise InputError(f"--n-best: expected 1 to {translate.beam} (beam), got {n_best}")
    for name, asked in (("weights", weights is not None), ("alignments", alignments)):
        if asked and len(model) > 1:
            raise InputError(f"--{name}: expected one --model, got several")
    with opened_split("translate", model, dataset, split, run) as (loaded, data, advance):
        prefixes = read_prefixes(prefix, data, split) if prefix else None
        translations = loaded.translate_rows(
            read_rows(data, split, phrases),
            translate,
            n_best=n_best or 1,
            prefixes=prefixes,
            words=(text.split(" ") for text in data.texts(split, "source_tokens")),
            links=alignments,
            need_weights=weights is not None,
            advance=advance,
        )
        rows = (
            (lines_of(t, row=None if n_best is None else row, scores=scores), t.weights)
            for row, t in enumerate(translations)
        )
        _write(rows, out, weights)


def align(
    run: RunConfig = DEFAULT_RUN_CONFIG,
    *,
    model: Annotated[Path, Input("model artifact")],
    dataset: Annotated[Path, Input("dataset artifact")],
    split: Annotated[str, Option("such as test", "NAME")],
    out: Annotated[str, OutputFile("- is stdout (default: -)")] = STANDARD_OUTPUT,
    layer: Annotated[
        int | None,
        Option(
            "average the heads of decoder layer N, counted from 1 (default: the alignment head, or "
            "else the penultimate layer)",
            "N",
        ),
    ] = None,
    soft: Annotated[
        Path | None,
        OutputFile(
            "write soft alignments too, for a split of moderate size: an .npz file of arrays "
            "ROW/words, (target words, source words), and ROW/subwords"
        ),
    ] = None,
    batch_tokens: BatchTokens = DEFAULT_TRANSLATE_CONFIG.batch_tokens,
) -> None:
    """Align the words of every pair of a split (forced alignment).

    One line a row: links `SOURCE-TARGET` between words counted from 0, from the model's alignment
    head or, without one, the average of a decoder layer's heads.
    """
    with opened_split("align", model, dataset, split, run) as (loaded, data, advance):
        alignments = loaded.align(
            data.read(split), layer=layer, batch_tokens=batch_tokens, advance=advance
        )
        rows = (
            (
                [f"{format_links(a.links)}\n"],
                {"words": a.words, "subwords": a.matrix} if soft else {},
            )
            for a in alignments
        )
        _write(rows, out, soft)


def score(
    run: RunConfig = DEFAULT_RUN_CONFIG,
    *,
    model: Annotated[Path, Input("model artifact")],
    dataset: Annotated[Path, Input("dataset artifact")],
    split: Annotated[str, Option("such as test", "NAME")],
    out: Annotated[str, OutputFile("- is stdout (default: -)")] = STANDARD_OUTPUT,
    batch_tokens: BatchTokens = DEFAULT_TRANSLATE_CONFIG.batch_tokens,
    phrases: PhrasesOption = "parsed",
) -> None:
    """Score every pair of a split.

    One line a row: the natural logarithm of p(target | source), summed over the target's subwords
    and end of sentence.
    """
    with opened_split("score", model, dataset, split, run) as (loaded, data, advance):
        rows = read_rows(data, split, phrases)
        scores = loaded.score(rows, batch_tokens=batch_tokens, advance=advance)
        with opened(out) as file:
            file.writelines(f"{score:.6f}\n" for score in scores)


def lines_of(translation: Translation, *, row: int | None, scores: bool) -> Iterator[str]:
    """The line of the best candidate or, given the row's number, the lines of all."""
    for candidate in translation.n_best if row is not None else translation.n_best[:1]:
        links = "" if candidate.links is None else f" ||| {format_links(candidate.links)}"
        if row is not None:
            yield f"{row} ||| {candidate.text} ||| {candidate.score:.6f}{links}\n"
        else:
            score = f"{candidate.score:.6f}\t" if scores else ""
            yield f"{score}{candidate.text}{links}\n"


def read_prefixes(path: Path, data: Dataset, split: str) -> list[list[str]]:
    """The subwords of every line; an `InputError` for unknown ones or a wrong number of lines."""
    from mgsa.data.vocabulary import UNK

    num_rows, vocabulary = data.num_rows(split), data.vocabularies[1]
    prefixes = [line.split() for line in read_lines(path)]
    for number, prefix in enumerate(prefixes, start=1):
        ids = vocabulary.encode(prefix)
        if UNK in ids:
            unknown = prefix[ids.index(UNK)]
            message = f"expected subwords of the target vocabulary, got {unknown!r}"
            raise InputError(message, path=path, line=number)
    if len(prefixes) != num_rows:
        raise InputError(f"expected {num_rows} lines, one a row, got {len(prefixes)}", path=path)
    return prefixes


def _write(
    rows: Iterable[tuple[Iterable[str], Mapping[str, np.ndarray]]], out: str, arrays: Path | None
) -> None:
    """Write each row's lines to `out` and its arrays, as float32, to an `.npz` file as `ROW/NAME`.

    zipfile dates members 1980, so the file is deterministic.
    """
    import numpy as np

    with ExitStack() as files:
        lines = files.enter_context(opened(out))
        archive = None
        if arrays is not None:
            file = files.enter_context(atomic_file(arrays, "wb"))
            archive = files.enter_context(zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED))
        for row, (text, named) in enumerate(rows):
            lines.writelines(text)
            if archive is None:
                continue
            for name, array in named.items():
                with archive.open(f"{row}/{name}.npy", "w", force_zip64=True) as member:
                    narrow = np.ascontiguousarray(array, dtype=np.float32)
                    np.lib.format.write_array(member, narrow, allow_pickle=False)
        lines.flush()  # a failure here leaves both files untouched
