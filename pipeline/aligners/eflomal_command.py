"""The aligner eflomal (Östling & Tiedemann 2016), called as a command; its licence is the GPL's.

It seeds itself and has no option for a seed: two runs differ in some links. DVC keeps what one run
gave; the dataset's manifest says where it is from.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from mgsa.base.errors import FailedError, InputError
from mgsa.base.io import open_to_write
from mgsa.base.word_links import Link
from pipeline.aligners.settings import EflomalSettings
from pipeline.base.stage import SIDES
from pipeline.base.text import Pair, read_parallel
from pipeline.links import read_links

COMMAND = "eflomal-align"


def run_eflomal(
    pairs: Iterable[Pair], settings: EflomalSettings
) -> Iterator[tuple[set[Link], set[Link]]]:
    """Of each pair, the links for its target words and those for its source words.

    Raises:
        InputError: the command is not installed.
        FailedError: it failed, or wrote something else than links.
    """
    command = find_command()
    with tempfile.TemporaryDirectory(prefix="eflomal-") as name:
        texts = [Path(name, side) for side in SIDES]
        links = [Path(name, direction) for direction in ("forward", "reverse")]
        with open_to_write(texts[0]) as source, open_to_write(texts[1]) as target:
            for pair in pairs:
                for file, text in zip((source, target), pair, strict=True):
                    # To eflomal any white space, such as U+00A0, ends a word.
                    file.write(re.sub(r"[^\S ]", "_", text) + "\n")
        options = {
            **{"--source": texts[0], "--target": texts[1]},
            **{"--forward-links": links[0], "--reverse-links": links[1]},
            **{"--model": settings.model, "--length": settings.length},
            **{"--n-samplers": settings.samplers, "--null-prior": settings.null_prior},
        }
        words = [command, *(str(word) for option in options.items() for word in option)]
        done = subprocess.run(words, capture_output=True, check=False)
        if done.returncode:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["(no message)"]
            raise FailedError(f"{command}: exit status {done.returncode}: {lines[-1]}")
        try:
            # Beside the text: its exit status doesn't tell when the program that it starts dies.
            for _, _, forward, reverse in read_parallel([*texts, *links]):
                yield set(read_links(forward)), set(read_links(reverse))
        except InputError as error:
            raise FailedError(f"{COMMAND}: wrote no links of these pairs: {error}") from None


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
    ours = Path(find_command()).parent == Path(sys.executable).parent
    return metadata.version("eflomal") if ours else None
