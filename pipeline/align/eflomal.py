"""Word links by the command of eflomal (Östling & Tiedemann 2016; GPL)."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from mgsa.cli.errors import FailedError, InputError
from mgsa.cli.files import open_to_write
from mgsa.data.word_links import Link
from pipeline.align.settings import EflomalSettings
from pipeline.formats.links import read_links
from pipeline.formats.text import Pair, read_parallel

COMMAND = "eflomal-align"


def run_eflomal(
    pairs: Iterable[Pair], settings: EflomalSettings
) -> Iterator[tuple[set[Link], set[Link]]]:
    """Yield forward and reverse links of each pair.

    Raises:
        InputError: the command is not installed.
        FailedError: it failed, or its output is no links.
    """
    command = find_command()
    with tempfile.TemporaryDirectory(prefix="eflomal-") as name:
        files = ("source", "target", "forward-links", "reverse-links")
        source, target, *links = paths = [Path(name, file) for file in files]
        with open_to_write(source) as source_file, open_to_write(target) as target_file:
            for pair in pairs:
                for file, text in zip((source_file, target_file), pair, strict=True):
                    # To eflomal any white space, such as U+00A0, ends a word.
                    file.write(re.sub(r"[^\S ]", "_", text) + "\n")
        options = dict(zip(files, paths, strict=True)) | {
            **{"model": settings.model, "length": settings.length},
            **{"n-samplers": settings.samplers, "null-prior": settings.null_prior},
        }
        words = [word for option, value in options.items() for word in (f"--{option}", str(value))]
        done = subprocess.run([command, *words], capture_output=True, check=False)
        if done.returncode:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["(no message)"]
            raise FailedError(f"{command}: exit status {done.returncode}: {lines[-1]}")
        try:
            # Beside the text: its exit status doesn't tell when the program that it starts dies.
            for _, _, forward, reverse in read_parallel([source, target, *links]):
                yield set(read_links(forward)), set(read_links(reverse))
        except InputError as error:
            raise FailedError(f"{COMMAND}: wrote no links of these pairs: {error}") from None


def find_command() -> str:
    """The command on the search path, or beside this Python.

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
