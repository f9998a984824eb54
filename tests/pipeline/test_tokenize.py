"""The stage `tokenize`: pairs stay pairs, and what is dropped is counted."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sacremoses import MosesTruecaser

from mgsa.cli.errors import InputError
from pipeline import tokenize
from pipeline.formats.text import SIDES
from pipeline.tokenizers.side import side_text
from tests.lines import lines, write_lines
from tests.parameters import PARAMETERS, RUN, recorded_text
from tests.text_folders import stage_argv

Texts = list[tuple[str, str]]
PARAMS = {
    "tokenize": PARAMETERS["tokenize"] | {"max_tokens": 8, "max_ratio": 3.0},
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
    assert json.loads((out / "text.json").read_text()) == recorded_text()
    for split in ("valid", "test"):
        assert lines(out / f"{split}.source") == ['It \'s " new . "', " ".join(["word"] * 9)]
        assert lines(out / f"{split}.target") == ["Es ist „ neu “ .", "Wort"]
        assert lines(out / f"{split}.lines") == ["1", "2"]
    assert lines(out / "test.voice") == ["active", "passive"]
    assert not (out / "test.trees").exists()


@pytest.mark.parametrize("drop_duplicates", ["false", "true"])
@pytest.mark.parametrize(
    ("name", "good", "bad", "message"),
    [
        ("links", "0-0 0p1", "0-0 1", "expected gold links such as 3-4 and 3p4, got '1'"),
        ("links", "", "0-9", "expected links between 4 source and 4 target words"),
        ("voice", "active", "", "expected one label, got ''"),
        ("tense", "past", "past tense", "expected one label, got 'past tense'"),
        ("trees", "(())", "(S (X a)", "expected one bracketed tree, found an unclosed bracket"),
        ("trees", "", "A dog", "column 1: expected (LABEL"),
    ],
)
def test_annotations_are_checked_for_pairs_that_stay(
    corpus: Path, name: str, good: str, bad: str, message: str, drop_duplicates: str
) -> None:
    """Line 2 is empty, and line 8 the same as line 1."""
    texts = [good] * len(TRAIN)
    texts[1] = texts[10] = bad
    write_lines(corpus / f"train.{name}", texts)
    tokenize.main(arguments(corpus))
    assert set(lines(corpus.parent / f"tokenized/train.{name}")) == {good}
    texts[7] = bad
    write_lines(corpus / f"train.{name}", texts)
    argv = arguments(corpus, f"drop_duplicates={drop_duplicates}")
    if drop_duplicates == "true":
        tokenize.main(argv)
        assert set(lines(corpus.parent / f"tokenized/train.{name}")) == {good}
    else:
        with pytest.raises(InputError, match=re.escape(f"corpus/train.{name}:8: {message}")):
            tokenize.main(argv)
    write_lines(corpus / f"train.{name}", [good] * len(TRAIN))
    write_lines(corpus / f"test.{name}", [good, bad])
    with pytest.raises(InputError, match=rf"corpus/test\.{name}:2: "):
        tokenize.main(arguments(corpus))


@pytest.mark.parametrize(
    ("links", "told"),
    [
        ("0-0 1-1 2-2", "none reaches beyond the words between blanks, though 2 pairs have more"),
        ("0-0 1-1 3-3", ""),  # the period is a token
        ("0-0 0p3", ""),
        ("1-1 2-2 3-3", "no link has a word 0 on either side: if words are counted from 1, subtr"),
    ],
)
def test_links_that_seem_to_count_other_words_are_told(
    corpus: Path, links: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`A dog runs.` and `Ein Hund rennt.`, twice, are four tokens of three words."""
    texts = [links if number in (0, 7) else "" for number in range(len(TRAIN))]
    write_lines(corpus / "train.links", texts)
    tokenize.main(arguments(corpus))
    said = capsys.readouterr().err
    assert said.count("corpus/train.links: ") == said.count("\n") == bool(told)
    assert told in said


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
    assert (report["valid_source_tokens"], report["valid_source_types"]) == (6 + 9, 5 + 1)


def test_a_corpus_of_which_nothing_is_left_is_refused(corpus: Path) -> None:
    with pytest.raises(
        InputError, match=r"corpus: no training pair is left; dropped: 2 empty, 9 l"
    ):
        tokenize.main(arguments(corpus, "max_tokens=1"))


WORDS = st.sampled_from(["dog", "DOG", "dog .", "dog.", "cat", "mud"])
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6)


@pytest.mark.parametrize("drop_overlap", ["false", "true"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(train=PAIRS, valid=PAIRS, test=PAIRS)
def test_pairs_of_other_splits_that_are_training_pairs_are_counted_or_dropped_there(
    corpus: Path, drop_overlap: str, train: Texts, valid: Texts, test: Texts
) -> None:
    """The same after tokenising: `dog.` is `dog .`, and `DOG` is `dog` if lower-cased."""

    def plain(pairs: Texts) -> list[tuple[str, ...]]:
        return [tuple(re.sub(r"\b\.", " .", text.lower()) for text in pair) for pair in pairs]

    kept = {"train": [("a fish", "ein Fisch"), *train], "valid": valid, "test": test}
    for split, pairs in kept.items():
        for place, side in enumerate(SIDES):
            write_lines(corpus / f"{split}.{side}", [pair[place] for pair in pairs])
    tokenize.main(arguments(corpus, "case=lower", f"drop_overlap={drop_overlap}"))
    report = json.loads((corpus.parent / "report.json").read_text())
    trained, held_out = set(plain(train)), {*plain(valid), *plain(test)}
    for split, pairs in (("valid", valid), ("test", test)):
        overlap = sum(pair in trained for pair in plain(pairs)) * (drop_overlap == "false")
        assert report[f"{split}_pairs_in_train"] == overlap
    dropped = sum(pair in held_out for pair in plain(train)) * (drop_overlap == "true")
    assert report["train_dropped_overlap"] == len(train) + 1 - report["train_kept"] == dropped


def test_overlap_is_told_in_a_line_for_each_split(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines(corpus / "test.source", ["A dog runs .", "A dog runs.", "A dog"])
    write_lines(corpus / "test.target", ["Ein Hund rennt.", "Ein Hund rennt.", "Ein Hund"])
    tokenize.main(arguments(corpus))
    assert capsys.readouterr().err == (
        f"{corpus}: 2 of 3 pairs of test are training pairs too; "
        "tokenize.drop_overlap=true drops them there\n"
    )
    tokenize.main(arguments(corpus, "drop_overlap=true"))
    assert capsys.readouterr().err == ""
    dropped = lines(corpus.parent / "tokenized/dropped.tsv")
    assert {"train\t1\toverlap", "train\t8\toverlap"} <= {*dropped}


def test_case_is_learned_on_the_training_split_and_undone(corpus: Path) -> None:
    """As sacremoses' commands have it; a text model's target begins in upper case again."""
    texts = ["The Man sleeps here.", "Here the dog sees Anna.", "A dog sees the House of Anna."] * 3
    for split, rows in (("train", texts), ("valid", texts[:1]), ("test", texts[1:2])):
        for side in ("source", "target"):
            write_lines(corpus / f"{split}.{side}", rows)
    tokenize.main(arguments(corpus, "case=truecase"))
    out = corpus.parent / "tokenized"
    plain = [text.replace(".", " .").split() for text in texts]
    peer = MosesTruecaser()
    peer.train(plain)
    for side in ("source", "target"):
        assert lines(out / f"train.{side}") == [" ".join(peer.truecase(" ".join(t))) for t in plain]
    assert lines(out / "valid.source") == ["the Man sleeps here ."]
    text = side_text(out, "target")
    assert text.tokenize(texts[1]) == "here the dog sees Anna .".split()  # noqa: SIM905
    assert [text.detokenize(text.tokenize(one)) for one in texts] == texts
    tokenize.main(arguments(corpus, "case=lower"))
    assert lines(out / "valid.source") == ["the man sleeps here ."]
    assert not (out / "truecase.source").exists()
