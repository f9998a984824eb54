"""Raw text becomes the rows that the stages made of it: data and inference can't drift apart."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from mgsa.base.cli import run
from mgsa.base.errors import InputError
from mgsa.base.io import read_json, write_json
from mgsa.data.batch import Row
from mgsa.data.dataset import Dataset, open_dataset
from mgsa.data.vocabulary import UNK
from pipeline import parse
from pipeline.base.stage import SIDES, SPLITS
from pipeline.moses import MosesText
from pipeline.parsing.parser_folder import write_parser_folder
from pipeline.preprocessor import Phraser, Preprocessor, Side
from pipeline.subwords import SubwordSplitter
from tests.text_folders import MAX_WORDS, ToyParser, build_dataset, parse_with_toy, write_text

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
WORDS = "a man woman dog cat sees reads the old new house book in on with and never"


def random_pairs(count: int, seed: int) -> list[tuple[str, str]]:
    generator = random.Random(seed)
    return [
        (
            " ".join(generator.choices(WORDS.split(), k=generator.randint(1, 14))) + " .",
            " ".join(generator.choices(WORDS.split(), k=generator.randint(1, 14))) + " .",
        )
        for _ in range(count)
    ]


TEXTS = {
    "train": random_pairs(60, 1) + [(source, "Hallo .") for source in SOURCES[:5]],
    "valid": random_pairs(10, 2),
    "test": [(source, "Hallo Welt .") for source in SOURCES],
}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Built by the stages, trees by the toy parser."""
    folder = tmp_path_factory.mktemp("text")
    write_text(folder, TEXTS)
    parse_with_toy(folder)
    return open_dataset(build_dataset(folder))


def with_toy_parser(dataset: Dataset) -> Preprocessor:
    made = read_json(dataset.folder / "preprocessing.json")
    threshold = made["bpe"]["vocabulary_threshold"]
    source, target = (
        Side(
            MosesText(language), SubwordSplitter.load(dataset.folder, side, threshold=threshold), v
        )
        for language, side, v in zip(("en", "de"), SIDES, dataset.vocabularies, strict=True)
    )
    return Preprocessor(
        source=source,
        target=target,
        phraser=Phraser(
            ToyParser(),
            tags=dataset.tags,
            levels=made["partition"]["levels"],
            max_words=made["parse"]["max_words"],
        ),
    )


def source_side(row: Row) -> tuple[object, ...]:
    lists = (row.source, row.subwords_per_word, *row.phrase_lengths, *row.phrase_tags)
    return tuple(map(list, lists))


def assert_rows_are_the_datasets(rows: Sequence[Row], dataset: Dataset, split: str) -> None:
    expected = list(dataset.read(split))
    assert len(rows) == len(expected) > 0
    for row, other in zip(rows, expected, strict=True):
        assert source_side(row) == source_side(other)


@pytest.mark.parametrize("split", SPLITS)
def test_rows_of_raw_text_are_the_datasets(dataset: Dataset, split: str) -> None:
    texts = list(dataset.texts(split, "source_text"))
    assert_rows_are_the_datasets(with_toy_parser(dataset).rows(texts), dataset, split)


def test_pairs_of_tokens_are_the_datasets(dataset: Dataset) -> None:
    tokens = [
        [line.split(" ") for line in dataset.texts("test", column)]
        for column in ("source_tokens", "target_tokens")
    ]
    rows = with_toy_parser(dataset).pairs_of_tokens(*tokens)
    assert_rows_are_the_datasets(rows, dataset, "test")
    for row, other in zip(rows, dataset.read("test"), strict=True):
        assert list(row.target) == list(other.target)
        assert list(row.target_subwords_per_word) == list(other.target_subwords_per_word)


def test_the_texts_are_hard_enough(dataset: Dataset) -> None:
    """Unknown subwords, unknown tags, flat trees and split words all occur in what is compared."""
    rows = list(dataset.read("test"))
    assert any(UNK in row.source for row in rows)
    assert any(0 in tags for row in rows for tags in row.phrase_tags)
    assert any(max(row.subwords_per_word) > 1 for row in rows)
    long, cry = rows[SOURCES.index(SOURCES[7])], rows[SOURCES.index("Stop !")]
    assert len(long.phrase_lengths[0]) == MAX_WORDS + 5
    assert len(cry.phrase_lengths[0]) == 2


def test_without_a_parser_rows_have_no_phrases(dataset: Dataset) -> None:
    preprocessor = Preprocessor.load(dataset.folder, parser=None)
    texts = list(dataset.texts("test", "source_text"))
    for row, other in zip(preprocessor.rows(texts), dataset.read("test"), strict=True):
        assert list(row.source) == list(other.source)
        assert list(row.subwords_per_word) == list(other.subwords_per_word)
        assert list(row.phrase_lengths) == list(row.phrase_tags) == []


@pytest.mark.parametrize("text", ["", "   ", "\t\u200b\u2029 "])
def test_text_without_words_is_a_row_without_subwords(dataset: Dataset, text: str) -> None:
    blank, filled = with_toy_parser(dataset).rows([text, "a man"])
    assert len(blank.source) == len(blank.subwords_per_word) == len(blank.phrase_lengths) == 0
    assert len(filled.phrase_lengths) == 3


def test_translations_are_detokenised(dataset: Dataset) -> None:
    preprocessor = Preprocessor.load(dataset.folder, parser=None)
    subwords = 'Er sag@@ te : " Das ist ( fast ) gu@@ t , oder ? "'
    assert preprocessor.detokenize(subwords.split()) == 'Er sagte: "Das ist (fast) gut, oder?"'
    assert preprocessor.detokenize([]) == ""


def copy_with(dataset: Dataset, folder: Path, **changed: dict[str, object]) -> Path:
    """A copy of the dataset's folder whose `preprocessing.json` says something else."""
    shutil.copytree(dataset.folder, folder)
    made = read_json(folder / "preprocessing.json")
    for section, values in changed.items():
        made[section] |= values
    write_json(folder / "preprocessing.json", made)
    return folder


def parser_folder(folder: Path, language: str = "en") -> Path:
    folder.mkdir()
    (folder / "model.pt").write_bytes(b"no model")
    write_parser_folder(folder, kind="stanza", language=language, package="p")
    return folder


def test_another_parser_is_refused(dataset: Dataset, tmp_path: Path) -> None:
    parser = parser_folder(tmp_path / "parser")
    made_with = {"kind": "stanza", "identity": "0123456789abcdef"}
    folder = copy_with(dataset, tmp_path / "copy", parser=made_with)
    message = f"{re.escape(str(parser))}: expected the parser that .*copy was made with .01234567"
    with pytest.raises(InputError, match=message):
        Preprocessor.load(folder, parser=parser)
    with pytest.raises(InputError, match="expected a parser of en, got one of fr"):
        Preprocessor.load(dataset.folder, parser=parser_folder(tmp_path / "french", "fr"))


def test_ready_made_trees_parse_nothing(dataset: Dataset) -> None:
    with pytest.raises(InputError, match="parser: it holds no models: ready-made trees"):
        Preprocessor.load(dataset.folder, parser=dataset.folder.parent / "parser")


def test_flat_trees_need_no_parser(tmp_path: Path) -> None:
    write_text(tmp_path, TEXTS)
    parser = tmp_path / "parser"
    parser.mkdir()
    write_parser_folder(parser, kind="none", language="en", package=None)
    paths = {"tokenized": "tokenized", "parser": "parser", "out": "parsed", "report": "parsed.json"}
    paths |= {"params": "params.yaml", "memory": "memory.sqlite"}
    argv = [word for name, path in paths.items() for word in (f"--{name}", str(tmp_path / path))]
    assert run(parse.main, argv) == 0
    dataset = open_dataset(build_dataset(tmp_path))
    preprocessor = Preprocessor.load(dataset.folder, parser=parser)
    rows = preprocessor.rows([source for source, _ in TEXTS["test"]])
    assert_rows_are_the_datasets(rows, dataset, "test")


def test_shuffled_phrases_are_not_for_text(dataset: Dataset, tmp_path: Path) -> None:
    folder = copy_with(dataset, tmp_path / "copy", partition={"boundaries": "shuffled"})
    with pytest.raises(InputError, match=r"copy: its phrases were shuffled"):
        Preprocessor.load(folder, parser=parser_folder(tmp_path / "parser"))


@pytest.mark.parametrize("section", ["source_language", "parse", "parser", "bpe", "partition"])
def test_a_missing_section_is_named(dataset: Dataset, tmp_path: Path, section: str) -> None:
    folder = copy_with(dataset, tmp_path / "copy")
    made = read_json(folder / "preprocessing.json")
    del made[section]
    write_json(folder / "preprocessing.json", made)
    message = rf"preprocessing\.json: preprocessing\.{section}: missing"
    with pytest.raises(InputError, match=message):
        Preprocessor.load(folder, parser=None)


@pytest.mark.real
@pytest.mark.slow
def test_rows_of_raw_text_are_the_datasets_with_stanza(tmp_path: Path, shared: Path) -> None:
    write_text(tmp_path, TEXTS)
    parser = tmp_path / "parser"
    shutil.copytree(shared / "stanza_resources", parser)
    parser.chmod(0o755)
    write_parser_folder(parser, kind="stanza", language="en", package="ptbsample")
    paths = {
        "tokenized": tmp_path / "tokenized",
        "parser": parser,
        "out": tmp_path / "parsed",
        "report": tmp_path / "parsed.json",
        "memory": tmp_path / "memory.sqlite",
        "params": tmp_path / "params.yaml",
    }
    argv = [str(word) for name, path in paths.items() for word in (f"--{name}", path)]
    assert run(parse.main, argv) == 0
    dataset = open_dataset(build_dataset(tmp_path))
    preprocessor = Preprocessor.load(dataset.folder, parser=parser)
    for split in SPLITS:
        texts = list(dataset.texts(split, "source_text"))
        assert_rows_are_the_datasets(preprocessor.rows(texts), dataset, split)
