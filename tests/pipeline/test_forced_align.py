from __future__ import annotations

from pathlib import Path

import pytest

import mgsa
from mgsa.cli.errors import InputError
from mgsa.data.dataset import open_dataset
from mgsa.data.word_links import format_links
from pipeline.forced_align import main
from pipeline.formats.text import SIDES
from tests.lines import lines, write_lines


def align(models: Path, out: Path, *extra: str, target: Path | None = None) -> None:
    target = target or models / "corpus/test.target"
    files = ["--source", str(models / "corpus/test.source"), "--target", str(target)]
    main(["--model", str(models / "words"), *files, "--out", str(out), *extra])


def test_text_is_aligned_as_its_rows_in_a_dataset(models: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    align(models, out)
    dataset = open_dataset(models / "dataset")
    found = mgsa.load(models / "words").align(dataset.read("test"))
    assert lines(out / "aligned.links") == [format_links(alignment.links) for alignment in found]
    assert lines(out / "aligned.source") == list(dataset.texts("test", "source_tokens"))
    assert lines(out / "aligned.target") == list(dataset.texts("test", "target_tokens"))


def test_tokenised_text_is_taken_as_it_is(models: Path, tmp_path: Path) -> None:
    align(models, tmp_path / "raw")
    again = tmp_path / "tokenized"
    files = [f"--{side}={tmp_path / 'raw' / f'aligned.{side}'}" for side in SIDES]
    main(["--model", str(models / "words"), *files, "--out", str(again), "--tokenized"])
    for name in (*SIDES, "links"):
        assert lines(again / f"aligned.{name}") == lines(tmp_path / f"raw/aligned.{name}")


def test_an_empty_line_has_no_links_and_a_wrong_one_leaves_no_output(
    models: Path, tmp_path: Path
) -> None:
    first, _, *others = lines(models / "corpus/test.target")
    write_lines(tmp_path / "gap", [first, "", *others])
    align(models, tmp_path / "out", target=tmp_path / "gap")
    links = lines(tmp_path / "out" / "aligned.links")
    assert [bool(line) for line in links] == [True, False] + [True] * len(others)
    write_lines(tmp_path / "wrong", ["two  spaces"] * len(links))
    with pytest.raises(InputError, match="wrong:1: expected tokens with one space between"):
        align(models, tmp_path / "links", "--tokenized", target=tmp_path / "wrong")
    assert not (tmp_path / "links").exists()
