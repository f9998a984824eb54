"""Splits: sets, references, lines drawn from `train`, text that Moses escaped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mgsa.cli.errors import InputError
from pipeline.corpus import __main__ as corpus
from pipeline.corpus.splits import draw_lines
from pipeline.formats.tables import Record
from pipeline.params.presets import compose
from tests.imports import ROOT
from tests.lines import lines, write_lines
from tests.parameters import PARAMETERS
from tests.text_folders import contents, stage_argv

TEXTS = {
    "train.en": [f"Line {n}." for n in range(40)],
    "train.de": [f"Zeile {n}." for n in range(40)],
    "train.trees": [f"(ROOT (X {n}))" for n in range(40)],
    "valid.en": ["One."],
    "valid.de": ["Eins."],
    "test.en": ["A dog.", "A cat."],
    "test.de": ["Ein Hund.", "Eine Katze."],
    "again.de": ["Ein Köter.", ""],
    "news.en": ["News."],
    "news.de": ["Neues."],
}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder of one's own files."""
    for name, texts in TEXTS.items():
        write_lines(tmp_path / "own" / name, texts)
    return tmp_path / "own"


def write(own: Path, *overrides: str, **tokenize: str) -> dict[str, Any]:
    """The report of a corpus of the files; `OWN` is their folder."""
    given = ["corpus=local", "corpus.folder=OWN", *(f"corpus.{override}" for override in overrides)]
    section = compose(ROOT / "conf", [one.replace("OWN", str(own)) for one in given])["corpus"]
    parameters = PARAMETERS | {"corpus": section, "tokenize": PARAMETERS["tokenize"] | tokenize}
    (own.parent / "params.yaml").write_text(yaml.safe_dump(parameters, sort_keys=False), "utf-8")
    corpus.main(stage_argv(own.parent, out="corpus", report="report.json"))
    report: dict[str, Any] = Record.read(own.parent / "report.json")
    return report


def test_source_and_target_that_are_the_same_are_told(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines(own / "valid.de", TEXTS["valid.en"])
    write(own)
    assert f"valid.de: has nothing but the text of {own}/valid.en" in capsys.readouterr().err


def test_test_sets_follow_each_other_with_their_references(own: Path) -> None:
    sets = "{talk: {source: OWN/test.en, target: [OWN/test.de, OWN/again.de]}, news: {source: OWN/news.en, target: OWN/news.de}}"  # noqa: E501
    assert write(own, f"test.sets={sets}")["test_pairs"] == 3
    found = own.parent / "corpus"
    assert lines(found / "test.source") == ["A dog.", "A cat.", "News."]
    assert lines(found / "test.target") == ["Ein Hund.", "Eine Katze.", "Neues."]
    assert lines(found / "test.target.2") == ["Ein Köter.", "", ""]
    assert lines(found / "test.sets") == ["talk", "talk", "news"]
    assert not [*found.glob("train.target.*"), *found.glob("valid.[st]*s")]


def test_one_set_may_have_several_reference_files(own: Path) -> None:
    write(own, "test.target=[OWN/test.de, OWN/again.de]")
    found = own.parent / "corpus"
    assert lines(found / "test.target.2") == ["Ein Köter.", ""]
    assert lines(found / "test.sets") == ["test", "test"]
    write_lines(own / "again.de", ["Ein Köter."])
    with pytest.raises(InputError, match=r"again\.de:1: ends after 1 line; expected as many as"):
        write(own, "test.target=[OWN/test.de, OWN/again.de]")


TMX = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>A man sleeps.</seg></tuv>
<tuv xml:lang="de"><seg>Ein Mann schläft.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>A dog runs.</seg></tuv>
<tuv xml:lang="de"><seg>Ein Hund läuft.</seg></tuv></tu>
</body></tmx>
"""
WMT = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="made-up"><doc id="a">
<src lang="en"><p><seg id="1">A dog.</seg><seg id="2">A cat.</seg></p></src>
<ref lang="de" translator="A"><p><seg id="1">Ein Hund.</seg><seg id="2">Eine Katze.</seg></p></ref>
<ref lang="de" translator="B"><p><seg id="1">Ein Köter.</seg><seg id="2">Ein Kater.</seg></p></ref>
</doc></dataset>
"""


def both(split: str, name: str) -> list[str]:
    return [f"{split}.{side}=OWN/{name}" for side in ("source", "target")]


def test_one_file_has_both_languages_and_all_references(own: Path) -> None:
    (own / "a.tmx").write_text(TMX, "utf-8")
    (own / "b.xml").write_text(WMT, "utf-8")
    write(own, *both("train", "a.tmx"), *both("test", "b.xml"))
    found = own.parent / "corpus"
    assert lines(found / "train.source") == ["A man sleeps.", "A dog runs."]
    assert lines(found / "train.target") == ["Ein Mann schläft.", "Ein Hund läuft."]
    assert lines(found / "test.source") == ["A dog.", "A cat."]
    assert lines(found / "test.target") == ["Ein Hund.", "Eine Katze."]
    assert lines(found / "test.target.2") == ["Ein Köter.", "Ein Kater."]
    turned = ["source_language=de", "target_language=en"]
    write(own, *both("train", "a.tmx"), *both("test", "b.xml"), *turned)
    assert lines(found / "train.source") == ["Ein Mann schläft.", "Ein Hund läuft."]
    assert (lines(found / "test.target"), (found / "test.target.2").exists()) == (
        ["A dog.", "A cat."],
        False,
    )


def test_columns_of_a_table_are_named_or_numbered(own: Path) -> None:
    write_lines(own / "a.tsv", ["id\tleft\tright", "1\tA dog.\tEin Hund."])
    write_lines(own / "b.tsv", ["1\tA dog.\tEin Hund.", "2\tA cat.\tEine Katze."])
    found = own.parent / "corpus"
    write(own, *both("train", "a.tsv"), "train.columns={source: right, target: left}")
    assert lines(found / "train.source") == ["Ein Hund."]
    write(own, *both("train", "b.tsv"), "train.columns={source: 2, target: 3}")
    assert lines(found / "train.target") == ["Ein Hund.", "Eine Katze."]
    for name, columns in (("b.tsv", ["train.columns={source: 2, target: 2}"]), ("test.en", [])):
        with pytest.raises(InputError, match=rf"own/{name}: expected two files, or one with both"):
            write(own, *both("train", name), *columns)


def test_drawn_pairs_are_in_one_split_with_their_annotations(own: Path) -> None:
    drawn = ["train.trees=OWN/train.trees", "valid.lines=5", "test.lines=3"]
    assert write(own, *drawn) == {"train_pairs": 32, "valid_pairs": 5, "test_pairs": 3}
    first = contents(own.parent / "corpus")
    rows = []
    for split, count in (("train", 32), ("valid", 5), ("test", 3)):
        columns = ("source", "target", "trees")
        of_split = [
            *zip(*(lines(own.parent / f"corpus/{split}.{c}") for c in columns), strict=True)
        ]
        assert len(of_split) == count
        numbers = [int(source.split()[1].rstrip(".")) for source, *_ in of_split]
        assert numbers == sorted(numbers)
        rows += of_split
    assert sorted(rows) == sorted(
        zip(TEXTS["train.en"], TEXTS["train.de"], TEXTS["train.trees"], strict=True)
    )
    assert lines(own.parent / "corpus/test.sets") == ["test"] * 3
    write(own, *drawn)
    assert contents(own.parent / "corpus") == first
    write(own, *drawn, "seed=2")
    assert contents(own.parent / "corpus")["valid.source"] != first["valid.source"]
    assert write(own, *drawn, "train.lines=9")["train_pairs"] == 9
    again = contents(own.parent / "corpus")
    assert all(again[f"{split}.trees"] == first[f"{split}.trees"] for split in ("valid", "test"))
    assert {*again["train.source"].split(b"\n")} < {*first["train.source"].split(b"\n")}
    message = "corpus: expected pairs of train enough for 1 for test and 39 for valid, got 40"
    with pytest.raises(InputError, match=message):
        write(own, "valid.lines=39", "test.lines=1")


@given(pairs=st.integers(2, 60), seed=st.integers(0, 9), data=st.data())
def test_every_line_is_drawn_once(
    pairs: int, seed: int, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    size = data.draw(st.integers(1, pairs - 1))
    folder = tmp_path_factory.mktemp("drawn")
    write_lines(folder / "train.source", range(pairs))
    draw_lines(folder, {"valid": size}, pairs=pairs, seed=seed)
    train, valid = (lines(folder / f"{split}.source") for split in ("train", "valid"))
    assert len(valid) == size
    assert sorted(map(int, train + valid)) == [*range(pairs)]
    assert [path.name for path in sorted(folder.iterdir())] == ["train.source", "valid.source"]


ESCAPED = [
    "Nothing here .",
    "I don &apos;t know .",
    "He said &quot; yes &quot; &#91; 1 &#93; .",
    "R &amp; D",
    "a well ##AT##-##AT## known man",
    "a well @-@ known man",
    "a &lt; b &#124; c &gt; l&apos; amie",
    "&amp;amp; stays once &amp;",
]
PLAIN = [
    "Nothing here .",
    "I don 't know .",
    'He said " yes " [ 1 ] .',
    "R & D",
    "a well-known man",
    "a well-known man",
    "a < b | c > l' amie",
    "&amp; stays once &",
]


def test_text_that_moses_escaped_is_unescaped_and_told(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines(own / "train.en", ESCAPED)
    write_lines(own / "train.de", map(str.upper, PLAIN))
    write(own)
    assert lines(own.parent / "corpus/train.source") == PLAIN
    assert lines(own.parent / "corpus/train.target") == [*map(str.upper, PLAIN)]
    assert capsys.readouterr().err == (
        f"{own}/train.en:2: text that Moses escaped is unescaped, on 7 of 8 lines; "
        "tokenize.source=none keeps it\n"
    )
    write(own, source="none", target="moses")
    assert lines(own.parent / "corpus/train.source") == ESCAPED
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "texts",
    [
        ["AT&amp;T", "write &lt;b&gt;", "x&quot;y", "&apos", "-@-", "the end @-@"],
        ["Stone &amp; tile.", "It's red."],
        ["Stone &amp; tile.", "Stone & tile."],
    ],
)
def test_text_that_moses_did_not_escape_stays(
    own: Path, texts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Pages of the web have entities, and elsewhere characters that Moses would escape."""
    for language in ("en", "de"):
        write_lines(own / f"train.{language}", texts)
    write(own)
    assert lines(own.parent / "corpus/train.source") == texts
    assert "escaped" not in capsys.readouterr().err


def test_the_training_split_may_be_several_corpora(own: Path) -> None:
    sets = [
        f"{name}: {{source: OWN/{name}.en, target: OWN/{name}.de}}" for name in ("news", "test")
    ]
    write(own, f"train.sets={{{', '.join(sets)}}}")
    found = own.parent / "corpus"
    assert lines(found / "train.source") == ["News.", "A dog.", "A cat."]
    assert not (found / "train.sets").exists()


@pytest.mark.parametrize("code", ["pt_BR", "kor", "zho_Hans"])
def test_files_are_found_by_the_code_as_it_is_given(own: Path, code: str) -> None:
    for split in ("train", "valid", "test"):
        write_lines(own / f"{split}.{code}", TEXTS[f"{split}.de"])
    write(own, f"target_language={code}")
    assert lines(own.parent / "corpus/train.target") == TEXTS["train.de"]
    assert json.loads((own.parent / "corpus/corpus.json").read_text())["target_language"] == code
