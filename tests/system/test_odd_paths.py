"""Paths with spaces and letters of any script: every command takes them, and names them so."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path

import pytest

from mgsa.base.cli import BAD_INPUT, DONE, run
from tests.all_stages import COMMANDS, LATER, main_of, random_texts, write_raw

NO_PATHS = ("--split", "--last", "--baseline", "--phrases")


def run_at(folder: Path, name: str) -> int:
    """Run a command whose paths are absolute ones, in this process; its exit status."""
    module, *words = COMMANDS[name].split()
    argv = []
    for option, word in zip(["", *words], words, strict=False):
        if option.startswith("--") and option not in NO_PATHS and not word.startswith("--"):
            key, separator, path = word.rpartition("=")
            word = f"{key}{separator}{folder / path}"
        argv.append(word)
    return run(main_of(module), argv)


def test_every_command_takes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "Wörter & Bäume, 100 % [neu] \u6728"
    folder.mkdir()
    texts = {"train": random_texts(24, 0), "valid": random_texts(6, 1), "test": random_texts(6, 2)}
    write_raw(folder, texts)
    with chdir(folder):
        for name in COMMANDS:
            if name not in LATER:
                assert run_at(folder, name) == DONE, name
        assert (folder / "page" / "index.html").is_file()
        (folder / "tokenized" / "train.source").unlink()
        capsys.readouterr()
        assert run_at(folder, "bpe") == BAD_INPUT
    assert capsys.readouterr().err == f"error: {folder}/tokenized/train.source: no such file\n"
