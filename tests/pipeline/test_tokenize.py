"""The stage `tokenize`: pairs stay pairs, and what is dropped is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from mgsa.cli.errors import InputError
from pipeline import tokenize
from tests.lines import lines, write_lines
from tests.parameters import RUN
from tests.text_folders import stage_argv

PARAMS = {
    "tokenize": {"min_tokens": 1, "max_tokens": 8, "max_ratio": 3.0, "drop_duplicates": False},
    "run": RUN,
}
TRAIN = [
    ("A dog runs.", "Ein Hund rennt."),
    ("", "Leer."),
    ("Empty.", " \t\u200b\u2028 "),
    ("A dog\truns\u2028here.", "Ein Hund\u200b rennt\x07 hier."),
    ("( a ) -LRB-", "( ein ) -LRB-"),
    ("One two three four five six seven eight nine", "Eins zwei drei vier fünf sechs"),
    ("Yes", "Ja , das ist so"),
    ("A dog runs.", "Ein Hund rennt."),
    ("word " * 5000, "Wort " * 5000),
    ("A " + "x" * 1000, "Ein " + "x" * 1000),
    ("A dog", "Ein " + "x" * 1001),
]
DEV = [("It's \u201cnew\u201d.", "Es ist „neu“."), ("word " * 9, "Wort")]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "corpus.json").write_text('{"source_language": "en", "target_language": "de"}')
    for split, pairs in (("train", TRAIN), ("valid", DEV), ("test", DEV)):
        write_lines(folder / f"{split}.source", [source for source, _ in pairs])
        write_lines(folder / f"{split}.target", [target for _, target in pairs])
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(PARAMS))
    return folder


def arguments(corpus: Path, *overrides: str) -> list[str]:
    paths = {"corpus": "corpus", "out": "tokenized", "report": "report.json"}
    return stage_argv(corpus.parent, *overrides, **paths)


def test_pairs_that_are_kept_stay_pairs_with_their_annotations(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two pairs at a time, by two workers."""
    monkeypatch.setattr(tokenize, "CHUNK_PAIRS", 2)
    kept = ["1", "4", "5", "8", "10"]
    numbers = [str(number) for number in range(1, len(TRAIN) + 1)]
    write_lines(corpus / "train.trees", [f"(ROOT (X {number}))" for number in numbers])
    write_lines(corpus / "train.links", ["0-0" if number in kept else "" for number in numbers])
    write_lines(corpus / "test.voice", ["active", "passive"])
    tokenize.main(arguments(corpus, "run.workers=2"))
    out = corpus.parent / "tokenized"
    assert lines(out / "train.source") == [
        *("A dog runs .", "A dog runs here .", "( a ) -LRB-", "A dog runs ."),
        "A " + "x" * 1000,
    ]
    assert lines(out / "train.target") == [
        *("Ein Hund rennt .", "Ein Hund rennt hier .", "( ein ) -LRB-", "Ein Hund rennt ."),
        "Ein " + "x" * 1000,
    ]
    assert lines(out / "train.lines") == kept
    assert lines(out / "train.trees") == [f"(ROOT (X {number}))" for number in kept]
    assert lines(out / "train.links") == ["0-0"] * len(kept)
    assert lines(out / "dropped.tsv") == [
        "split\tline\treason",
        *("train\t2\tempty", "train\t3\tempty", "train\t6\tlong", "train\t7\tratio"),
        *("train\t9\tlong", "train\t11\ttoken"),
    ]
    assert json.loads((out / "languages.json").read_text()) == {"source": "en", "target": "de"}
    for split in ("valid", "test"):
        assert lines(out / f"{split}.source") == ['It \'s " new . "', " ".join(["word"] * 9)]
        assert lines(out / f"{split}.target") == ['Es ist " neu " .', "Wort"]
        assert lines(out / f"{split}.lines") == ["1", "2"]
    assert lines(out / "test.voice") == ["active", "passive"]
    assert not (out / "test.trees").exists()


CAUSES = {"empty": 2, "token": 1}


@pytest.mark.parametrize(
    ("overrides", "kept", "dropped"),
    [
        ((), 5, {"empty": 2, "long": 2, "ratio": 1, "token": 1}),
        (("drop_duplicates=true",), 4, {**CAUSES, "long": 2, "ratio": 1, "duplicate": 1}),
        (("max_ratio=null",), 6, {**CAUSES, "long": 2}),
        (("max_ratio=null", "max_tokens=5000"), 8, CAUSES),
        (("min_tokens=5",), 1, {"empty": 2, "short": 6, "long": 2}),
    ],
)
def test_the_report_counts_what_was_dropped_and_why(
    corpus: Path, overrides: tuple[str, ...], kept: int, dropped: dict[str, int]
) -> None:
    tokenize.main(arguments(corpus, *overrides))
    report = json.loads((corpus.parent / "report.json").read_text())
    assert (report["train_pairs"], report["train_kept"]) == (len(TRAIN), kept)
    assert {r: n for r in tokenize.REASONS if (n := report[f"train_dropped_{r}"])} == dropped
    assert report["test_kept"] == report["test_pairs"] == len(DEV)
    assert report["valid_target_tokens"] == 7


def test_a_corpus_of_which_nothing_is_left_is_refused(corpus: Path) -> None:
    with pytest.raises(
        InputError, match=r"corpus: no training pair is left; dropped: 2 empty, 9 l"
    ):
        tokenize.main(arguments(corpus, "max_tokens=1"))
