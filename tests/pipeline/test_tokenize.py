"""The stage `tokenize`: pairs stay pairs, what is dropped is counted, bad input is named."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from pipeline import tokenize

PARAMS = """\
tokenize: {min_tokens: 1, max_tokens: 8, max_ratio: 3.0, drop_duplicates: false, workers: 1}
"""
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
]
DEV = [("It's \u201cnew\u201d.", "Es ist „neu“."), ("word " * 9, "Wort")]


def write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "corpus.json").write_text('{"source_language": "en", "target_language": "de"}')
    for split, pairs in (("train", TRAIN), ("valid", DEV), ("test", DEV)):
        write(folder / f"{split}.source", [source for source, _ in pairs])
        write(folder / f"{split}.target", [target for _, target in pairs])
    (tmp_path / "params.yaml").write_text(PARAMS)
    return folder


def arguments(corpus: Path, *overrides: str) -> list[str]:
    root = corpus.parent
    sets = [argument for override in overrides for argument in ("--set", override)]
    return [
        *("--corpus", str(corpus), "--out", str(root / "tokenized")),
        *("--report", str(root / "report.json"), "--params", str(root / "params.yaml"), *sets),
    ]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def test_pairs_that_are_kept_stay_pairs(corpus: Path) -> None:
    tokenize.main(arguments(corpus))
    out = corpus.parent / "tokenized"
    assert lines(out / "train.source") == [
        *("A dog runs .", "A dog runs here .", "( a ) -LRB-", "A dog runs .")
    ]
    assert lines(out / "train.target") == [
        *("Ein Hund rennt .", "Ein Hund rennt hier .", "( ein ) -LRB-", "Ein Hund rennt .")
    ]
    assert lines(out / "train.lines") == ["1", "4", "5", "8"]
    assert lines(out / "dropped.tsv") == [
        "split\tline\treason",
        *("train\t2\tempty", "train\t3\tempty", "train\t6\tlong", "train\t7\tratio"),
        "train\t9\tlong",
    ]
    assert json.loads((out / "languages.json").read_text()) == {"source": "en", "target": "de"}


def test_pairs_of_other_splits_are_all_kept(corpus: Path) -> None:
    tokenize.main(arguments(corpus))
    out = corpus.parent / "tokenized"
    for split in ("valid", "test"):
        assert lines(out / f"{split}.source") == ['It \'s " new . "', " ".join(["word"] * 9)]
        assert lines(out / f"{split}.target") == ['Es ist " neu " .', "Wort"]
        assert lines(out / f"{split}.lines") == ["1", "2"]


@pytest.mark.parametrize(
    ("overrides", "kept", "dropped"),
    [
        ((), 4, {"empty": 2, "long": 2, "ratio": 1}),
        (("drop_duplicates=true",), 3, {"empty": 2, "long": 2, "ratio": 1, "duplicate": 1}),
        (("max_ratio=null",), 5, {"empty": 2, "long": 2}),
        (("max_ratio=null", "max_tokens=5000"), 7, {"empty": 2}),
        (("min_tokens=5",), 1, {"empty": 2, "short": 4, "long": 2}),
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


def test_annotations_follow_the_pairs_that_are_kept(corpus: Path) -> None:
    numbers = [str(number) for number in range(1, len(TRAIN) + 1)]
    write(corpus / "train.trees", [f"(ROOT (X {number}))" for number in numbers])
    write(corpus / "train.links", ["0-0" if number in "1458" else "" for number in numbers])
    write(corpus / "test.voice", ["active", "passive"])
    tokenize.main(arguments(corpus))
    out = corpus.parent / "tokenized"
    assert lines(out / "train.trees") == [f"(ROOT (X {number}))" for number in "1458"]
    assert lines(out / "train.links") == ["0-0"] * 4
    assert lines(out / "test.voice") == ["active", "passive"]
    assert not (out / "test.trees").exists()


def test_the_output_does_not_depend_on_the_workers(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenize.main(arguments(corpus))
    alone = contents(corpus.parent / "tokenized")
    monkeypatch.setattr(tokenize, "CHUNK_PAIRS", 2)
    tokenize.main(arguments(corpus, "workers=2"))
    assert contents(corpus.parent / "tokenized") == alone


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("train.target", b"", "train.target: empty file"),
        ("train.source", b"a\nb\n", "train.source:2: ends after 2 lines; expected as many as in"),
        ("valid.source", b"a\n\xe4\n", "valid.source:2: expected UTF-8 text: invalid continuation"),
        (
            "valid.target",
            "a\n\u200b\n".encode(),
            "valid.target:2: no token in this line; pairs of ",
        ),
        ("test.source", b"\na\n", "test.source:1: no token in this line; pairs of test are never"),
        (
            "test.links",
            b"0-0\n0-9\n",
            "test.links:2: link 0-9 points outside a pair of 9 and 1 tok",
        ),
        ("test.links", b"0-0\n0 0\n", "test.links:2: expected links such as 0-0 1-2, got '0'"),
        ("test.trees", b"(X a)\n", "test.trees:1: ends after 1 line; expected as many as in"),
        (
            "corpus.json",
            b"{}",
            "corpus.json: corpus.source_language: missing; expected text of two",
        ),
        ("corpus.json", b"[", "corpus.json:1: expected JSON"),
        ("valid.source", None, "valid.source: no such file"),
    ],
)
def test_bad_input_is_named_and_leaves_outputs(
    corpus: Path, name: str, content: bytes | None, message: str
) -> None:
    tokenize.main(arguments(corpus))
    before = contents(corpus.parent / "tokenized")
    if content is None:
        (corpus / name).unlink()
    else:
        (corpus / name).write_bytes(content)
    with pytest.raises(InputError, match=re.escape(message)):
        tokenize.main(arguments(corpus))
    assert contents(corpus.parent / "tokenized") == before
    assert sorted(path.name for path in corpus.parent.iterdir()) == [
        *("corpus", "params.yaml", "report.json", "tokenized")
    ]


def test_a_corpus_of_which_nothing_is_left_is_refused(corpus: Path) -> None:
    with pytest.raises(
        InputError, match=r"corpus: no training pair is left; dropped: 2 empty, 7 l"
    ):
        tokenize.main(arguments(corpus, "max_tokens=1"))


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("max_tokens=0", r"tokenize.max_tokens: expected a whole number at least 1, got 0$"),
        ("max_ratio=0.5", r"tokenize.max_ratio: expected a number at least 1"),
        ("min_tokens=9", r"tokenize: min_tokens: expected at most max_tokens \(8\), got 9$"),
        ("lowercase=true", r"tokenize.lowercase: unknown key; expected one of min_tokens, max_"),
    ],
)
def test_impossible_settings_are_named(corpus: Path, override: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tokenize.main(arguments(corpus, override))


def test_a_full_disk_is_one_line_and_leaves_outputs(corpus: Path) -> None:
    tokenize.main(arguments(corpus))
    before = contents(corpus.parent / "tokenized")
    done = subprocess.run(
        [sys.executable, "-B", "-m", "pipeline.tokenize", *arguments(corpus, "max_tokens=5000")],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {corpus.parent}/tokenized/train.")
    assert line.endswith(": File too large")
    assert contents(corpus.parent / "tokenized") == before
