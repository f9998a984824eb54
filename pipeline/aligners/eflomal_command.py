"""The aligner eflomal (Östling & Tiedemann 2016), called as a command; its licence is the GPL's.

It draws samples from a generator that it seeds from the system, and has no option for a seed: two
runs differ in some links. DVC keeps what one run gave; the dataset's manifest says where it's from.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from importlib import metadata
from pathlib import Path

from mgsa.base.errors import FailedError, InputError
from mgsa.base.io import open_to_write, read_lines
from mgsa.word_links import Link
from pipeline.aligners.kinds import EflomalSettings
from pipeline.aligners.tokenized_pairs import Pair, lengths
from pipeline.base.stage import SIDES
from pipeline.links import read_links

COMMAND = "eflomal-align"

_SPACE = re.compile(r"\s")


def run_eflomal(
    pairs: Iterable[Pair], settings: EflomalSettings
) -> Iterator[tuple[set[Link], set[Link]]]:
    """Of each pair, the links for its target words and those for its source words.

    Raises:
        InputError: the command is not installed.
        FailedError: it failed, or wrote something else than links of these pairs.
    """
    command = find_command()
    with tempfile.TemporaryDirectory(prefix="eflomal-") as name:
        folder = Path(name)
        sizes = _write(pairs, folder)
        outputs = [folder / "forward", folder / "reverse"]
        _run([command, *_arguments(settings, folder, outputs)])
        written = [_read(output, sizes) for output in outputs]
        yield from zip(*written, strict=True)


def find_command() -> str:
    """The command on the search path, or beside this Python, whose environment may not be active.

    Raises:
        InputError: it is in neither.
    """
    found = shutil.which(COMMAND) or shutil.which(COMMAND, path=str(Path(sys.executable).parent))
    if found is None:
        raise InputError(
            f"align.kind: eflomal: no command {COMMAND}; pip install eflomal has it, "
            "align=hmm needs none"
        )
    return found


def installed_version() -> str | None:
    """The version of the command, where it is this environment's; it tells none of its own."""
    if Path(find_command()).parent != Path(sys.executable).parent:
        return None
    try:
        return metadata.version("eflomal")
    except metadata.PackageNotFoundError:
        return None


def _write(pairs: Iterable[Pair], folder: Path) -> list[tuple[int, int]]:
    """Write both sides to files; the numbers of words of each pair."""
    sizes = []
    with ExitStack() as files:
        sides = [files.enter_context(open_to_write(folder / side)) for side in SIDES]
        for pair in pairs:
            sizes.append(lengths(pair))
            for file, text in zip(sides, pair, strict=True):
                # It takes any white space for the end of a word: U+00A0 within one, for example.
                file.write(" ".join(_SPACE.sub("_", word) for word in text.split(" ")) + "\n")
    return sizes


def _arguments(settings: EflomalSettings, folder: Path, outputs: list[Path]) -> list[str]:
    forward, reverse = map(str, outputs)
    return [
        *("--source", str(folder / "source"), "--target", str(folder / "target")),
        *("--forward-links", forward, "--reverse-links", reverse),
        *("--model", str(settings.model), "--length", str(settings.length)),
        *("--n-samplers", str(settings.samplers), "--null-prior", str(settings.null_prior)),
    ]


def _run(command: list[str]) -> None:
    """Run to the end; what it says goes into the error, if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise FailedError(f"{command[0]}: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["(no message)"]
        raise FailedError(f"{command[0]}: exit status {done.returncode}: {said[-1]}")


def _read(path: Path, sizes: list[tuple[int, int]]) -> Iterator[set[Link]]:
    """The links of each pair that eflomal wrote; it gives no sign when its own program dies."""
    count = 0
    try:
        for line, text in enumerate(read_lines(path), start=1):
            links = set(read_links(text))
            count += 1
            if count > len(sizes) or any(
                i >= sizes[line - 1][0] or j >= sizes[line - 1][1] for i, j in links
            ):
                raise FailedError(f"{COMMAND}: expected links of pair {line}, got {text!r}")
            yield links
    except InputError as error:
        raise FailedError(f"{COMMAND}: wrote no links: {error}") from None
    if count < len(sizes):
        raise FailedError(f"{COMMAND}: expected links of {len(sizes)} pairs, got {count}")
