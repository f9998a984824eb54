"""Rows from tokens, phrases and links, and from raw text."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json, write_json
from mgsa.data.batch import Row
from mgsa.data.dataset import Dataset, open_dataset
from mgsa.data.schema import LONGEST
from mgsa.data.vocabulary import UNK, Vocabulary
from pipeline.constituency.parser_folder import write_parser_folder
from pipeline.encoder import Encoder, SideEncoder, check_length
from pipeline.formats.phrases import Phrase
from pipeline.formats.text import SPLITS
from pipeline.parse import __main__ as parse
from pipeline.partition import to_subwords
from pipeline.preprocessor import Preprocessor
from pipeline.subwords import SubwordSplitter
from tests.stage_folders import write_merges
from tests.text_folders import (
    MAX_WORDS,
    build_dataset,
    parse_with_toy,
    random_texts,
    stage_argv,
    with_toy_parser,
    write_text,
)

SUBWORDS = ["a@@", "b@@", "c", "a", "b", "@@"]
TAGS = ("<unk>", "NP", "VP")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    """One that splits words into their letters."""
    codes = tmp_path_factory.mktemp("codes") / "codes"
    write_merges(codes, [])
    side = SideEncoder(SubwordSplitter(codes, None), Vocabulary.of(SUBWORDS))
    return Encoder(side, side, TAGS)


def test_a_pair_by_hand(encoder: Encoder) -> None:
    phrases = [[Phrase(0, 1, "NP"), Phrase(1, 3, "ODD")], [Phrase(0, 3, "VP")]]
    row = encoder.encode(
        ["abc", "x", "</s>"], ["b", "ac"], phrases=phrases, links=[(1, 1), (0, 0), (0, 0)]
    )
    assert row == {
        "source_ids": [4, 5, 6, UNK, UNK, UNK, UNK, UNK],
        "source_length": 8,
        "subwords_per_word": [3, 1, 4],
        "phrase_lengths": [[3, 5], [8]],
        "phrase_tags": [[1, 0], [2]],
        "target_ids": [8, 4, 6],
        "target_length": 3,
        "target_subwords_per_word": [1, 2],
        "links": [(0, 0), (1, 0), (2, 0), (3, 1), (3, 2)],
    }
    alone = encoder.encode(["abc", "x", "</s>"], phrases=phrases)
    assert alone == {name: row[name] for name in list(row)[:5]}
    assert encoder.encode(["a"], ["b"])["links"] is None


words = st.lists(st.text("abcd", min_size=1, max_size=4), min_size=1, max_size=8)


@given(words, words, st.data())
def test_every_subword_of_a_word_has_its_phrase_and_its_links(
    encoder: Encoder, source: list[str], target: list[str], data: st.DataObject
) -> None:
    cuts = data.draw(st.sets(st.integers(1, len(source)))) | {len(source)}
    phrases = [Phrase(start, end, "NP") for start, end in pairwise([0, *sorted(cuts)])]
    ends = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    links = data.draw(st.lists(ends, max_size=6))
    row = encoder.encode(source, target, phrases=[phrases], links=links)
    assert row["subwords_per_word"] == list(map(len, source))
    assert row["target_subwords_per_word"] == list(map(len, target))
    subwords = to_subwords(phrases, row["subwords_per_word"])
    assert row["phrase_lengths"] == [[end - start for start, end, _ in subwords]]
    sources, targets = positions(source), positions(target)
    expected = {(a, b) for i, j in links for a in sources[i] for b in targets[j]}
    assert row["links"] == sorted(expected)


def positions(words: list[str]) -> list[range]:
    ends = list(accumulate(map(len, words)))
    return [range(end - len(word), end) for end, word in zip(ends, words, strict=True)]


def test_a_sentence_too_long_for_its_columns_is_named() -> None:
    check_length(LONGEST, path="text", line=11)
    with pytest.raises(InputError, match="text:12: expected at most 32767 subwords, got 32768"):
        check_length(LONGEST + 1, path="text", line=12)


SOURCES = [
    "A man in a blue shirt is standing on a ladder.",
    "Don't ask: “quoted”, 'single' & (brackets) [square] {curly}!",
    "At 3,000.50 dollars, Dr. Smith of the U.S. left e.g. yesterday...",
    "A tab\there, a\u2028separator, zero\u200bwidth, soft\u00adhyphen and no\u00a0break.",
    "Nai\u0308ve cafe\u0301s, composed or not: naïve cafés.",
    "An ending in @@ or @-@ or x@@ or a|b and a well-known e-mail a@b.org",
    "Emoji 😀 and 漢字 and ελληνικά, which training never saw.",
    " ".join(f"word{i}" for i in range(MAX_WORDS + 5)),
    "Stop !",
    "Hello",
]
TEXTS = {
    "train": random_texts(60, 1) + [(source, "Hallo .") for source in SOURCES[:5]],
    "valid": random_texts(10, 2),
    "test": [(source, "Hallo Welt .") for source in SOURCES],
}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Built by the stages, trees by the toy parser."""
    folder = tmp_path_factory.mktemp("text")
    write_text(folder, TEXTS)
    parse_with_toy(folder)
    return open_dataset(build_dataset(folder))


SOURCE = ("source", "subwords_per_word", "phrase_lengths", "phrase_tags")
TARGET = ("target", "target_subwords_per_word")


def columns_of(rows: Iterable[Row], names: Sequence[str]) -> list[list[Any]]:
    return [[getattr(row, name) for name in names] for row in rows]


def rows_of(preprocessor: Preprocessor, texts: Iterable[str]) -> list[Row]:
    return preprocessor.rows_of_tokens([preprocessor.tokenize(text)[0] for text in texts])


def check_text(preprocessor: Preprocessor, dataset: Dataset) -> None:
    for split in SPLITS:
        rows = rows_of(preprocessor, dataset.texts(split, "source_text"))
        assert columns_of(rows, SOURCE) == columns_of(dataset.read(split), SOURCE)


def test_rows_of_raw_text_are_the_datasets(dataset: Dataset) -> None:
    """Unknown subwords, unknown tags, flat trees and split words all occur in what is compared."""
    check_text(with_toy_parser(dataset), dataset)
    rows = list(dataset.read("test"))
    assert any(UNK in row.source for row in rows)
    assert any(0 in tags for row in rows for tags in row.phrase_tags)
    assert any(max(row.subwords_per_word) > 1 for row in rows)
    long, cry = rows[SOURCES.index(SOURCES[7])], rows[SOURCES.index("Stop !")]
    assert len(long.phrase_lengths[0]) == MAX_WORDS + 5
    assert len(cry.phrase_lengths[0]) == 2


def test_pairs_of_tokens_are_the_datasets(dataset: Dataset) -> None:
    tokens = [
        [line.split(" ") for line in dataset.texts("test", column)]
        for column in ("source_tokens", "target_tokens")
    ]
    rows = with_toy_parser(dataset).rows_of_tokens(*tokens)
    names = (*SOURCE, *TARGET)
    assert columns_of(rows, names) == columns_of(dataset.read("test"), names)


def test_without_a_parser_rows_have_no_phrases(dataset: Dataset) -> None:
    preprocessor = Preprocessor.load(dataset.folder, parser=None)
    texts = list(dataset.texts("test", "source_text"))
    rows = rows_of(preprocessor, texts)
    assert columns_of(rows, SOURCE[:2]) == columns_of(dataset.read("test"), SOURCE[:2])
    assert columns_of(rows, SOURCE[2:]) == [[[], []]] * len(texts)


def test_translations_are_detokenised(dataset: Dataset) -> None:
    preprocessor = Preprocessor.load(dataset.folder, parser=None)
    tokens = 'Er sagte : " Das ist ( fast ) gut , oder ? "'
    assert preprocessor.detokenize(tokens.split()) == 'Er sagte: "Das ist (fast) gut, oder?"'
    assert preprocessor.detokenize([]) == ""


@pytest.mark.parametrize(
    ("section", "values", "language", "message"),
    [
        (
            *("parser", {"kind": "stanza", "identity": "0123456789abcdef"}, "en"),
            r"parser: expected the parser that .*copy was made with \(0123456789ab\), got another",
        ),
        ("parser", {}, "fr", "parser: expected a parser of en, got one of fr"),
        ("partition", {"boundaries": "shuffled"}, "en", "copy: raw text can have parsed phrases"),
        ("partition", {"boundaries": "random"}, "en", "copy: raw text can have parsed phrases"),
    ],
)
def test_a_parser_that_gives_other_phrases_is_refused(
    dataset: Dataset,
    tmp_path: Path,
    section: str,
    values: dict[str, str],
    language: str,
    message: str,
) -> None:
    folder = Path(shutil.copytree(dataset.folder, tmp_path / "copy"))
    made = read_json(folder / "preprocessing.json")
    made[section] |= values
    write_json(folder / "preprocessing.json", made)
    (tmp_path / "parser").mkdir()
    write_parser_folder(tmp_path / "parser", kind="stanza", language=language, package="p")
    with pytest.raises(InputError, match=message):
        Preprocessor.load(folder, parser=tmp_path / "parser")


def test_ready_made_trees_parse_nothing(dataset: Dataset) -> None:
    with pytest.raises(InputError, match="parser: it holds no models"):
        Preprocessor.load(dataset.folder, parser=dataset.folder.parent / "parser")


def built_with(parser: Path) -> Dataset:
    """A dataset of `TEXTS` beside a parser's folder, whose trees the stage `parse` made."""
    folder = parser.parent
    write_text(folder, TEXTS)
    paths = {"tokenized": "tokenized", "parser": "parser", "memory": "memory.sqlite"}
    parse.main(stage_argv(folder, **paths, out="parsed"))
    return open_dataset(build_dataset(folder))


def test_flat_trees_need_no_parser(tmp_path: Path) -> None:
    parser = tmp_path / "parser"
    parser.mkdir()
    write_parser_folder(parser, kind="none", language="en", package=None)
    dataset = built_with(parser)
    check_text(Preprocessor.load(dataset.folder, parser=parser), dataset)


@pytest.mark.real
def test_rows_of_raw_text_are_the_datasets_with_stanza(tmp_path: Path, shared: Path) -> None:
    parser = Path(shutil.copytree(shared / "stanza_resources", tmp_path / "parser"))
    parser.chmod(0o755)
    write_parser_folder(parser, kind="stanza", language="en", package="ptbsample")
    dataset = built_with(parser)
    check_text(Preprocessor.load(dataset.folder, parser=parser), dataset)
