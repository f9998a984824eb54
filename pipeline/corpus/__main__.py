"""Stage `corpus`: raw parallel text in three splits, generated, downloaded or copied."""

import sys
from dataclasses import asdict
from itertools import compress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from mgsa.cli.command import Option, OutputFolder, ParameterFile, Report
from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write, real_path, write_json
from mgsa.cli.run import run
from pipeline.corpus.settings import (
    Corpus,
    DownloadedCorpus,
    LocalCorpus,
    LocalSplit,
    SampleCorpus,
    drawn_lines,
    splits_with_files,
)
from pipeline.corpus.splits import TextWriter, draw_lines, write_annotations
from pipeline.formats.contrasts import is_contrast, read_contrasts, write_contrasts
from pipeline.formats.text import SIDES, SPLITS, TREEBANK_PARTS, read_sentences
from pipeline.formats.text_settings import text_settings
from pipeline.formats.trees import bracketed, read_treebank
from pipeline.stage.command import stage, stage_outputs
from pipeline.stage.download import check_hash, download, unpack


def _write_local(settings: LocalCorpus, texts: TextWriter) -> dict[str, int]:
    metrics = {}
    folder = texts.folder
    for split in splits_with_files(settings):
        named: LocalSplit = getattr(settings, split)
        parts = settings.parts(split)
        metrics[f"{split}_pairs"] = num_pairs = texts.write(split, parts, named.columns)
        write_annotations(folder, split, named.annotations, parts[0].source)
        if named.contrast is not None:
            metrics |= _write_contrasts(Path(named.contrast), folder, split, num_pairs)
    if settings.treebank is not None:
        (folder / "treebank").mkdir()
        for part, name in asdict(settings.treebank).items():
            with open_to_write(folder / "treebank" / f"{part}.mrg") as out:
                out.writelines(f"{bracketed(tree)}\n" for tree in read_treebank(Path(name)))
    return metrics


def _write_contrasts(path: Path, folder: Path, split: str, pairs: int) -> dict[str, int]:
    """Write the variants of a split that differ from their references; return counts."""
    references = [*read_sentences(folder / f"{split}.target")]
    contrasts = read_contrasts(path, pairs=pairs)
    others = {line: [text] for line, text in enumerate(references, start=1)}
    useful = []
    for one in contrasts:
        useful.append(is_contrast(one.target, *others[one.line]))
        others[one.line].append(one.target)
    if not all(useful):
        first = contrasts[useful.index(False)].line
        message = f"{useful.count(False):,} of {len(useful):,} variants are left out"
        reason = f"without a word, or with those of another (the first one of pair {first})"
        print(f"{path}: {message}, {reason}", file=sys.stderr)
    with open_to_write(folder / f"{split}.contrast") as out:
        write_contrasts(compress(contrasts, useful), out)
    return {
        f"{split}_contrasts": useful.count(True),
        f"{split}_contrasts_left_out": useful.count(False),
    }


def _write_downloaded(
    settings: DownloadedCorpus, texts: TextWriter, downloads: Path
) -> dict[str, int]:
    stored = downloads if settings.folder is None else Path(settings.folder)
    splits = splits_with_files(settings)
    named = [part for split in splits for part in settings.parts(split, Path())]
    needed = {file for part in named for file in (part.source, *part.targets)}
    with TemporaryDirectory(dir=texts.folder) as name:
        folder = Path(name)
        for file in settings.files:
            path, place = stored / file.name, folder / file.name
            members = {str(f.relative_to(file.name)) for f in needed if f.parts[0] == file.name}
            if members:
                if not path.exists() and settings.folder is None:
                    download(file.url, path)
                check_hash(path, file.sha256, url=file.url)
            if members == {"."}:
                place.symlink_to(real_path(path))
            elif members:
                unpack(path, members, place)
        try:
            pairs = {f"{s}_pairs": texts.write(s, settings.parts(s, folder)) for s in splits}
        except InputError as error:
            raise InputError(str(error).replace(name, str(stored))) from None
        texts.notes = [note.replace(name, str(stored)) for note in texts.notes]
        return pairs


def write_corpus(
    corpus: Corpus,
    *,
    params: Annotated[Path, ParameterFile()],
    out: Annotated[
        Path,
        OutputFolder("raw text", "raw text"),
    ],
    report: Annotated[Path | None, Report()] = None,
    downloads: Annotated[Path, Option("where downloaded files are kept", "DIR")] = Path(
        "data/downloads"
    ),
) -> None:
    """Generate, download or copy a parallel corpus."""
    text = text_settings(params)
    with stage_outputs(out, report) as (folder, metrics):
        languages = {side: getattr(corpus, f"{side}_language") for side in SIDES}
        tokenized = [side for side in SIDES if getattr(text, side) == "none"]
        texts = TextWriter(folder, languages, tokenized)
        match corpus:
            case SampleCorpus():
                from pipeline.sample import write_sample

                settings = asdict(corpus)
                write_sample(folder, **{k: v for k, v in settings.items() if k != "kind"})
                counts = {f"{split}_pairs": settings[split] for split in SPLITS}
            case LocalCorpus():
                counts = _write_local(corpus, texts)
            case DownloadedCorpus():
                counts = _write_downloaded(corpus, texts, downloads)
        if not isinstance(corpus, SampleCorpus) and (sizes := drawn_lines(corpus)):
            sizes = draw_lines(folder, sizes, pairs=counts["train_pairs"], seed=corpus.seed)
            counts |= {f"{split}_pairs": lines for split, lines in sizes.items()}
        print("".join(f"{note}\n" for note in texts.notes), end="", file=sys.stderr)
        metrics.update(counts)
        if not (folder / "test.sets").exists():
            with open_to_write(folder / "test.sets") as file:
                file.writelines(["test\n"] * counts["test_pairs"])
        # The parser depends on this file and on the treebank: neither changes when a corpus grows.
        about = ("name", "source_language", "target_language")
        write_json(folder / "corpus.json", {name: getattr(corpus, name) for name in about})
        (folder / "treebank").mkdir(exist_ok=True)
        for part in TREEBANK_PARTS:
            (folder / "treebank" / f"{part}.mrg").touch()  # DVC keeps no empty folder


main = stage(write_corpus)

if __name__ == "__main__":
    sys.exit(run(main))
