"""Splits of a corpus written: texts of several files, annotations, lines drawn from `train`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from random import Random

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_lines
from mgsa.cli.progress import progress
from pipeline.corpus.settings import Columns, Part
from pipeline.formats.containers import read_column, references_in
from pipeline.formats.link_files import link_lines
from pipeline.formats.links import PHARAOH
from pipeline.formats.text import SIDES, files_to_write, read_parallel, read_sentences

_ESCAPED = re.compile(
    r"(?<!\S)&(?:amp|quot|lt|gt|#124|#91|#93);(?!\S)"
    r"|(?<!\S)&apos;|&apos;(?!\S)| (?:@-@|##AT##-##AT##) "
)
"""Moses' entities for `& " < > | [ ] '` and, as an option, for a hyphen in a word."""
_RAW = re.compile(r"[\"'<>|\[\]]|&(?!#?\w+;)")
"""Characters that Moses escapes; a file with more of them has entities from elsewhere."""
PEEKED_LINES = 10_000


@dataclass
class TextWriter:
    """Writes the texts of splits to `folder`."""

    folder: Path
    languages: Mapping[str, str]
    tokenized: Sequence[str]  #: sides whose text is tokens already and stays as it is.
    notes: list[str] = field(default_factory=list)  #: what was found in files, a line each.

    def write(self, split: str, parts: Sequence[Part], columns: Columns | None = None) -> int:
        """Concatenate the parts of a split; return the number of pairs.

        Further references are `SPLIT.target.2` and so on, blank where a part has fewer; the set of
        each line is `SPLIT.sets`, if it has a name, and not in training text.
        """
        language = self.languages["target"]
        references = [
            [(path, n + 1) for path in part.targets for n in range(references_in(path, language))]
            for part in parts
        ]
        most = max(map(len, references))
        names = ["source", "target", *(f"target.{n}" for n in range(2, most + 1))]
        if split != "train" and any(part.of_set != split for part in parts):
            names.append("sets")
        pairs = 0
        with files_to_write(self.folder, [f"{split}.{name}" for name in names]) as files:
            for part, of_part in zip(parts, references, strict=True):
                texts = [("source", part.source, 1), *(("target", *one) for one in of_part)]
                lines = [self._read(*text, columns, part.source) for text in texts]
                paths = [path for _, path, _ in texts]
                rows = read_parallel(paths, lines)
                same = True
                rest = [*[""] * (most - len(of_part)), part.of_set]
                for row in progress(rows, f"read {split}", unit="pairs"):
                    same &= row[0] == row[1]
                    for file, text in zip(files.values(), (*row, *rest), strict=False):
                        file.write(f"{text}\n")
                    pairs += 1
                if same and paths[0] == paths[1]:
                    message = "expected two files, or one with both languages: this one has a text"
                    raise InputError(f"{message} that would be source and target", path=paths[0])
                if same:
                    told = f"has nothing but the text of {paths[0]}: source and target are the same"
                    self.notes.append(f"{paths[1]}: {told}")
        return pairs

    def _read(
        self, side: str, path: Path, reference: int, columns: Columns | None, source: Path
    ) -> Iterator[str]:
        (other,) = {*SIDES} - {side}
        lines = read_column(
            path,
            language=self.languages[side],
            other=self.languages[other],
            side=side,
            columns=(getattr(columns, side), getattr(columns, other)) if columns else (None, None),
            reference=reference,
            source=source if side == "target" else None,
        )
        return lines if side in self.tokenized else self._unescaped(lines, path, side)

    def _unescaped(self, lines: Iterator[str], path: Path, side: str) -> Iterator[str]:
        head = [*islice(lines, PEEKED_LINES)]
        raw, found = (sum(map(bool, map(form.search, head))) for form in (_RAW, _ESCAPED))
        first = count = 0
        for number, line in enumerate(chain(head, lines), start=1):
            escaped = raw < max(found, 1) and _ESCAPED.search(line)
            if escaped:
                first, count = first or number, count + 1
            yield _unescape(line) if escaped else line
        if count:
            self.notes.append(
                f"{path}:{first}: text that Moses escaped is unescaped, on {count:,} of {number:,} "
                f"lines; tokenize.{side}=none keeps it"
            )


def _unescape(line: str) -> str:
    from sacremoses import MosesDetokenizer

    text: str = MosesDetokenizer().unescape_xml(line)
    return re.sub(" (?:@-@|##AT##-##AT##) ", "-", text)


def write_annotations(folder: Path, split: str, files: Mapping[str, Path], source: Path) -> None:
    """Write annotations of a split whose `source` was read; links in Pharaoh's format.

    They are checked by `tokenize`, of the pairs that it keeps.
    """
    sides = [folder / f"{split}.{side}" for side in SIDES]
    lines = [
        link_lines(path, PHARAOH, sides) if name == "links" else read_sentences(path)
        for name, path in files.items()
    ]
    rows = read_parallel([source, *files.values()], [read_lines(sides[0]), *lines])
    with files_to_write(folder, [f"{split}.{name}" for name in files]) as written:
        for _, *texts in rows:
            for file, text in zip(written.values(), texts, strict=True):
                file.write(f"{text}\n")


def draw_lines(folder: Path, sizes: Mapping[str, int], *, pairs: int, seed: int) -> dict[str, int]:
    """Move pairs of the training split to others, so many for each, drawn by `seed`.

    The training split keeps the rest, unless it has a size too; the size of each is returned. An
    `InputError` is raised if the `pairs` are too few.
    """
    rest = None if "train" in sizes else "train"
    total = sum(sizes.values())
    if total + (rest is not None) > pairs:
        expected = " and ".join(f"{size:,} for {split}" for split, size in sizes.items())
        raise InputError(f"corpus: expected pairs of train enough for {expected}, got {pairs:,}")
    splits = [split for split, size in sizes.items() for _ in range(size)]
    split_of = dict(zip(Random(seed).sample(range(pairs), total), splits, strict=True))
    names = {"train", *sizes}
    for path in [*folder.glob("train.*")]:
        column = path.name.removeprefix("train.")
        whole = path.rename(folder / "whole")
        with files_to_write(folder, [f"{split}.{column}" for split in names]) as files:
            for number, line in enumerate(read_lines(whole)):
                if split := split_of.get(number, rest):
                    files[f"{split}.{column}"].write(f"{line}\n")
        whole.unlink()
    return {"train": pairs - total, **sizes}
