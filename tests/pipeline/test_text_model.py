"""Raw text in, translations out, from Python."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import mgsa
import pipeline
from mgsa.artifact.model import load_model
from mgsa.cli.errors import InputError
from mgsa.cli.files import read_text, write_json
from mgsa.cli.settings import read_yaml
from mgsa.config import DEFAULT_TRANSLATE_CONFIG
from mgsa.data.batch import Row
from mgsa.data.dataset import open_dataset
from mgsa.data.schema import LONGEST
from mgsa.data.vocabulary import join_subwords
from pipeline.constituency.parser_folder import write_parser_folder
from pipeline.formats.phrases import Phrase, read_phrases_line
from pipeline.formats.text import SPLITS
from pipeline.preprocessor import Preprocessor
from pipeline.text_model import TextModel, tell_of_no_parser
from pipeline.tokenizers.moses import MosesText
from pipeline.train import __main__ as train
from tests.model_folders import random_model
from tests.text_folders import (
    build_dataset,
    parse_with_toy,
    random_texts,
    with_toy_parser,
    write_text,
)
from tests.training_settings import write_settings


def test_a_sentence_has_all_that_its_row_has(models: Path) -> None:
    dataset = open_dataset(models / "dataset")
    opened, config = mgsa.load(models / "phrases"), replace(DEFAULT_TRANSLATE_CONFIG, beam=4)
    texts = list(dataset.texts("test", "source_text"))
    options: dict[str, Any] = {"n_best": 2, "links": True, "need_weights": True}
    found = TextModel(opened, with_toy_parser(dataset)).translate(texts, beam=4, **options)
    words = [line.split() for line in dataset.texts("test", "source_tokens")]
    expected = opened.translate_rows(dataset.read("test"), config, words=words, **options)
    german = MosesText("de")
    known: dict[str | None, str] = {tag: tag for tag in dataset.tags}
    phrases = (models / "partitions/test.phrases").read_text("utf-8").splitlines()
    columns = zip(found, expected, dataset.texts("test", "source_tokens"), phrases, strict=True)
    for ours, theirs, tokens, line in columns:
        assert " ".join(ours.tokens) == tokens
        assert str(ours) == ours.n_best[0].text
        for in_words in ours.phrases_in_words:
            assert re.sub(r"\[\S+ |\](?= |$)", "", in_words) == tokens
        assert join_subwords(ours.subwords) == tokens
        levels = read_phrases_line(line, num_words=len(ours.tokens))
        assert [[(*p[:2], known.get(p.tag)) for p in level] for level in levels] == [
            list(level) for level in ours.phrases
        ]
        for one, other in zip(ours.n_best, theirs.n_best, strict=True):
            assert one.text == german.detokenize(list(one.tokens))
            assert " ".join(one.tokens) == other.text
            assert one.score == pytest.approx(other.score)
            assert one.links == other.links
        for name, weights in theirs.weights.items():
            np.testing.assert_allclose(ours.weights[name], weights, atol=1e-6)


def random_model_of(folder: Path, **bpe: object) -> Path:
    """A random model of words, and with these settings of `bpe`."""
    write_text(folder, {split: random_texts(30, seed) for seed, split in enumerate(SPLITS)})
    parameters = read_yaml(folder / "params.yaml")
    parameters["bpe"] |= bpe
    (folder / "params.yaml").write_text(yaml.safe_dump(parameters), encoding="utf-8")
    parse_with_toy(folder)
    return random_model(folder / "words", build_dataset(folder), seed=2, multi_granularity=None)


def test_what_is_no_text_is_refused(models: Path) -> None:
    translator = TextModel(
        mgsa.load(models / "words"), with_toy_parser(open_dataset(models / "dataset"))
    )
    with pytest.raises(InputError, match="sentence:2: expected text, got None"):
        list(translator.translate(["a man .", None]))  # type: ignore[list-item]


def test_what_subwords_do_not_spell_is_copied(tmp_path: Path) -> None:
    translator = pipeline.load(random_model_of(tmp_path, merges=9, vocabulary_threshold=0))
    for unknown in ("张", "Zhāngjiākǒu", "🙂"):
        texts = [unknown, f"the man sees {unknown}."]
        alone, found = translator.translate(texts)
        assert alone.text == unknown
        assert unknown in found.n_best[0].tokens
        assert "<unk>" not in found.text


def test_unknown_words_of_a_vocabulary_of_words_are_copied(tmp_path: Path) -> None:
    """With the three most frequent words of each side alone."""
    folder = random_model_of(tmp_path, unit="word", max_words=3)
    model, source, target = mgsa.load(folder), *load_model(folder).vocabularies
    texts = [
        "A zebra and a giraffe sing songs tonight.",
        "Seven zebras.",
        "Some tall giraffe sings.",
    ]
    translator, copied = TextModel(model, Preprocessor.load(folder, parser=None)), 0
    for found in translator.translate(texts, n_best=5):
        for candidate in found.n_best:
            row = Row.of_subwords(found.subwords, source).with_target(candidate.subwords, target)
            (alignment,) = model.align([row])
            aligned = alignment.matrix.astype(np.float64).argmax(axis=1)
            copied += "<unk>" in candidate.subwords
            assert list(candidate.tokens) == [
                found.tokens[word] if said == "<unk>" else said
                for said, word in zip(candidate.subwords, aligned, strict=True)
            ]
    assert copied


def test_phrases_may_be_others_than_the_trees(models: Path) -> None:
    dataset = open_dataset(models / "dataset")
    translator = TextModel(mgsa.load(models / "phrases"), with_toy_parser(dataset))
    texts = ["a man sees a dog .", " ", "the cat ."]
    found = translator.translate(texts)
    again = translator.translate(texts, phrases=[each.phrases for each in found])
    assert again == found
    as_json = json.loads(json.dumps([each.to_json() for each in found]))
    assert translator.translate(texts, phrases=[one.get("phrases", []) for one in as_json]) == found
    anything: list[Any] = [None, "ab", [(0, 6.0, None)]]
    for wrong in anything:
        with pytest.raises(InputError, match=r"phrases: expected \(start, end, tag\) by text"):
            translator.translate(texts[:1], phrases=[[wrong] * 3])
    (first,) = translator.translate(texts[:1], phrases=[[[Phrase(0, 6, None)]] * 3])
    assert [phrase[:2] for phrase in first.phrases[2]] == [(0, 6)]
    assert first.n_best[0].score != found[0].n_best[0].score
    with pytest.raises(InputError, match="expected those of 3 texts, got 1"):
        translator.translate(texts, phrases=[found[0].phrases])


def test_a_blank_sentence_is_empty_and_one_text_is_no_list(models: Path) -> None:
    translator = pipeline.load(models / "words")
    blank, filled = translator.translate([" ", "a man"], links=True)
    assert (blank.text, blank.tokens, blank.n_best[0].links) == ("", (), ())
    assert filled.text
    with pytest.raises(InputError, match="expected a list of sentences, got one text"):
        translator.translate("a man")
    with pytest.raises(InputError, match="sentence:2: expected at most 32767 subwords, got 32768"):
        translator.translate(["a man", "a " * (LONGEST + 1)])


def test_a_model_that_carries_its_parser_translates_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "text"
    text.mkdir()
    write_text(text, {split: random_texts(20, seed) for seed, split in enumerate(SPLITS)})
    parse_with_toy(text, kind="none")
    settings = write_settings(tmp_path / "settings", model={}, train={"max_updates": 4})
    words = ["--params", settings, "--dataset", build_dataset(text), "--out", tmp_path / "model"]
    train.main([*map(str, words), "--with-parser", str(text / "parser")])
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (translation,) = pipeline.load(tmp_path / "model").translate(["a man"])
    assert [phrase[:2] for phrase in translation.phrases[0]] == [(0, 1), (1, 2)]
    card = read_text(tmp_path / "model/README.md")
    assert "$ python -m pipeline.translate --model DIR <" in card
    write_parser_folder(text / "parser", kind="none", language="fr", package=None)
    with pytest.raises(InputError, match=r"parser: expected the parser \w{12}, as .*dataset needs"):
        train.main([*map(str, words), "--with-parser", str(text / "parser")])


def test_phrases_in_json_are_start_end_and_tag(models: Path) -> None:
    preprocessor = with_toy_parser(open_dataset(models / "dataset"))
    (found,) = TextModel(mgsa.load(models / "phrases"), preprocessor).translate(["a man"])
    content = json.loads(json.dumps(found.to_json()))
    assert [phrase[:2] for phrase in content["phrases"][0]] == [[0, 1], [1, 2]]
    assert all(isinstance(tag, str) for _, _, tag in content["phrases"][0])


def test_tokens_are_translated_as_given_and_to_tokens(
    models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    translator = pipeline.load(models / "words")
    text = "a man, a dog"
    (raw,) = translator.translate(iter([text]), links=True)
    tokens = ["a", "man", ",", "a", "dog"]
    given, blank, odd = translator.translate(
        [" ".join(tokens), " ", "a man, a dog"], links=True, tokenized=True
    )
    assert given.tokens == raw.tokens == tuple(tokens)
    assert given.text == " ".join(raw.n_best[0].tokens)
    assert given.n_best[0].links == raw.n_best[0].links
    assert blank.text == ""
    assert odd.tokens == ("a", "man,", "a", "dog")
    assert capsys.readouterr().err == ""
    for _ in range(2):
        assert len([*translator.score([("a man.", "a dog.")], tokenized=True)]) == 1
    told = "--tokenized: 1 of 1 sentences are not in the tokens of the training data, and are taken"
    assert capsys.readouterr().err == f"{told} as they are\n"
    with pytest.raises(InputError, match="sentence:2: expected tokens with one space between them"):
        translator.translate(["a man", "a  dog"], tokenized=True)


def test_without_a_parser_words_are_phrases(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = models / "phrases"
    (found,) = pipeline.load(model, parser="none").translate(["a man sees a dog ."])
    words = [(place, place + 1) for place in range(6)]
    assert [[(p.start, p.end) for p in level] for level in found.phrases] == [words] * 3
    told = f"not so in the training of {model} (train.phrase_noise)"
    assert capsys.readouterr().err == f"no parser: every word is a phrase; {told}\n"
    noise = {"phrase_noise": {"flat": 0.2, "random": 0.0}}
    write_json(tmp_path / "config.json", {"train": noise})
    tell_of_no_parser([tmp_path])
    assert capsys.readouterr().err == "no parser: every word is a phrase\n"
