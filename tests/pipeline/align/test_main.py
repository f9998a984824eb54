"""The stage as its users run it, with every kind of aligner."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from mgsa.cli.settings import read_yaml
from mgsa.data.word_links import Link
from pipeline.align.__main__ import main
from pipeline.align.settings import EflomalSettings
from pipeline.formats.tables import Record
from pipeline.formats.text import SPLITS, Pair
from tests.imports import ROOT
from tests.lines import lines, write_lines
from tests.parameters import RUN, recorded_text
from tests.text_folders import stage_argv

SIZES = {"train": 40, "valid": 5, "test": 6}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Tokenised text, of which each word is aligned to the one at its place; gold links of test."""
    generator = random.Random(1)
    for split, size in SIZES.items():
        texts = [
            " ".join(generator.sample("abcdefgh", generator.randint(2, 5))) for _ in range(size)
        ]
        write_lines(tmp_path / f"tokenized/{split}.source", texts)
        write_lines(tmp_path / f"tokenized/{split}.target", [text.upper() for text in texts])
    write_json(tmp_path / "tokenized/text.json", recorded_text())
    write_lines(tmp_path / "tokenized/test.links", right_links(tmp_path, "test"))
    return tmp_path


def right_links(folder: Path, split: str, first: int = 0) -> list[str]:
    """Each word with the one at its place."""
    texts = lines(folder / f"tokenized/{split}.source")
    return [" ".join(f"{i}-{i}" for i in range(first, len(text.split()) + first)) for text in texts]


def align(folder: Path, option: str, *overrides: str) -> dict[str, Any]:
    """Run the stage with an option of the group `align`; the report."""
    settings = read_yaml(ROOT / f"conf/align/{option}.yaml")
    (folder / "params.yaml").write_text(yaml.safe_dump({"align": settings, "run": RUN}))
    paths = {"tokenized": "tokenized", "out": "out", "report": "align.json"}
    main(stage_argv(folder, *overrides, **paths))
    report: dict[str, Any] = Record.read(folder / "align.json")
    return report


def test_the_hidden_markov_model_aligns_every_split(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.align.__main__.PORTION", 3)
    report = align(folder, "hmm")
    for split, size in SIZES.items():
        assert lines(folder / f"out/{split}.links") == right_links(folder, split)
        assert report[f"{split}_pairs"] == size
    aligner = read_json(folder / "out/aligner.json")
    assert aligner == {"kind": "hmm", "deterministic": True, "splits": list(SPLITS)}
    assert read_json(folder / "out/manifest.json")["settings"]["align"]["hmm_iterations"] == 5
    assert report["train_links_per_target_word"] == 1
    assert (report["train_unaligned_source"], report["train_unaligned_target"]) == (0, 0)
    assert (report["test_precision"], report["test_recall"], report["test_aer"]) == (100, 100, 0)
    assert "valid_aer" not in report
    # Pairs with a longer side have no links.
    report = align(folder, "hmm", "max_words=4")
    long = [len(text.split()) > 4 for text in lines(folder / "tokenized/train.source")]
    assert [not text for text in lines(folder / "out/train.links")] == long
    assert report["train_pairs_without_links"] == sum(long)


def test_it_learns_from_pairs_evenly_spread(folder: Path) -> None:
    """Of the other pairs, whose words are others, it knows nothing; they are aligned by place."""
    for side in ("source", "target"):
        texts = lines(folder / f"tokenized/train.{side}")
        texts[1::2] = [f"x{number} y{number}" for number in range(len(texts) // 2)]
        write_lines(folder / f"tokenized/train.{side}", texts)
    align(folder, "hmm", "learn_pairs=20")
    assert lines(folder / "out/train.links") == right_links(folder, "train")


def test_eflomal_aligns_all_splits_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_eflomal(pairs: Iterable[Pair], _: EflomalSettings) -> Iterator[tuple[set[Link], ...]]:
        """Words by their places, and in the reverse direction all but the first."""
        for source, _target in pairs:
            forward = {(i, i) for i in range(len(source.split()))}
            yield forward, forward - {(0, 0)}

    monkeypatch.setattr("pipeline.align.eflomal.run_eflomal", run_eflomal)
    align(folder, "eflomal", "symmetrization=intersection")
    for split in SPLITS:
        expected = [text.removeprefix("0-0 ") for text in right_links(folder, split)]
        assert lines(folder / f"out/{split}.links") == expected
    aligner = read_json(folder / "out/aligner.json")
    assert (aligner["kind"], aligner["deterministic"]) == ("eflomal", False)


def test_links_of_the_corpus_are_taken_and_not_scored_and_none_are_a_mark_alone(
    folder: Path,
) -> None:
    report = align(folder, "corpus")
    assert lines(folder / "out/test.links") == right_links(folder, "test")
    assert read_json(folder / "out/aligner.json")["splits"] == ["test"]
    assert "test_aer" not in report
    assert align(folder, "none") == {}
    assert {path.name for path in (folder / "out").iterdir()} == {"aligner.json", "manifest.json"}
    assert read_json(folder / "out/aligner.json")["splits"] == []


def test_bad_links_of_the_corpus_are_named_before_anything_is_learned(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("it learns")

    monkeypatch.setattr("pipeline.align.__main__.find_links", fail)
    write_lines(folder / "tokenized/test.links", [*[""] * 5, "9-0"])
    for option in ("corpus", "hmm"):
        with pytest.raises(InputError, match=r"tokenized/test\.links:6: .* got 9-0"):
            align(folder, option)
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("first", "order", "reverse"),
    [(0, "source_first", "0-1"), (0, "target_first", "1-0"), (1, "target_first", "2-1")],
)
def test_files_of_other_aligners_are_symmetrised(
    folder: Path, first: int, order: str, reverse: str
) -> None:
    forward = f"{first}-{first} {first}-{first + 1}"
    write_lines(folder / "forward", [forward, *[""] * 39])
    write_lines(folder / "reverse", [reverse, *[""] * 39])
    write_lines(folder / "test.forward", right_links(folder, "test", first))
    files = (
        f"train={{forward: {folder}/forward, reverse: {folder}/reverse}}",
        f"test={{forward: {folder}/test.forward, reverse: null}}",
        *("symmetrization=intersection", f"first={first}", f"reverse_order={order}"),
    )
    report = align(folder, "pharaoh", *files)
    assert lines(folder / "out/train.links")[0] == "0-1"
    # Of a forward file alone, all is taken.
    assert lines(folder / "out/test.links") == right_links(folder, "test")
    assert read_json(folder / "out/aligner.json")["splits"] == ["train", "test"]
    assert report["test_aer"] == 0
    shutil.rmtree(folder / "out")
    with (folder / "test.forward").open("a") as file:
        file.write("0-0\n")
    with pytest.raises(InputError, match=r"test\.source:6: ends after 6 lines; expected as many"):
        align(folder, "pharaoh", *files)
    assert not (folder / "out").exists()
