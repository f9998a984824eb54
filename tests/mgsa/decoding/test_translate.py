from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mgsa
from mgsa.base.errors import InputError
from mgsa.data.batch import Row
from mgsa.data.dataset import open_dataset
from mgsa.data.vocabulary import Vocabulary, join_subwords
from mgsa.decoding.precision import INTEGER_ENGINES
from mgsa.decoding.translate import NOTHING, Translation, Translator, choose_device
from mgsa.model_artifact import load_model
from tests.copy_task import write_copy_task
from tests.model_folders import random_model

WORDS = {"multi_granularity": None}


@pytest.mark.parametrize(
    ("subwords", "tokens"),
    [
        ("Bu@@ sh held a talk", "Bush held a talk"),
        ("a@@ b@@ c d", "abc d"),
        ("cut sho@@", "cut sho"),  # a translation may end in the middle of a word
        ("@@ @", "@"),  # a piece of nothing but the mark
        ("me@@you x", "me@@you x"),  # no mark: it does not end the subword
        ("", ""),
    ],
)
def test_subwords_are_joined_to_tokens(subwords: str, tokens: str) -> None:
    assert join_subwords(subwords.split()) == tokens


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_an_error() -> None:
    with pytest.raises(InputError, match="accelerator: expected cpu or auto, as there is no GPU"):
        choose_device("gpu")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A dataset, and models of it: that attend to phrases, that don't, and a recurrent one."""
    folder = tmp_path_factory.mktemp("translator")
    dataset = write_copy_task(folder / "dataset", train=3, valid=3, test=50)
    return {
        "dataset": dataset,
        "phrases": random_model(folder / "phrases", dataset),
        "words": random_model(folder / "words", dataset, seed=1, **WORDS),
        "recurrent": random_model(folder / "recurrent", dataset, seed=2, kind="rnn"),
    }


def texts(translations: list[Translation]) -> list[str]:
    return [translation.text for translation in translations]


def test_mgsa_load_gives_an_object_that_translates_rows_and_subwords(
    folders: dict[str, Path],
) -> None:
    translator = mgsa.load(folders["words"])
    rows = list(open_dataset(str(folders["dataset"])).read("test"))
    lines = list(open_dataset(folders["dataset"]).texts("test", "source_tokens"))
    from_rows = translator.translate(rows, beam=3, n_best=2)
    assert texts(from_rows) == texts(
        translator.translate(translator.rows_of_subwords(lines), beam=3)
    )
    assert len(set(texts(from_rows))) > 10
    for translation in from_rows:
        assert len(translation.n_best) == 2
        assert translation.n_best[0].score >= translation.n_best[1].score
        assert translation.text == " ".join(translation.subwords).replace("@@ ", "")


def test_sentences_without_words_have_no_translation(folders: dict[str, Path]) -> None:
    empty = Row(0, (), (), (), (), ())
    row = next(open_dataset(folders["dataset"]).read("test"))
    translations = mgsa.load(folders["phrases"]).translate([empty, row, empty])
    assert [translations[0], translations[2]] == [NOTHING, NOTHING]
    assert translations[1] == mgsa.load(folders["phrases"]).translate([row])[0]
    words = mgsa.load(folders["words"])
    assert texts(words.translate(words.rows_of_subwords(["", " "]))) == ["", ""]


@pytest.mark.parametrize(("name", "heads"), [("words", 4), ("recurrent", 1)])
def test_weights_are_given_without_padding(folders: dict[str, Path], name: str, heads: int) -> None:
    translator = mgsa.load(folders[name])
    rows = list(open_dataset(folders["dataset"]).read("test"))
    for row, found in zip(rows, translator.translate(rows, need_weights=True), strict=True):
        (weights,) = found.weights.values()  # of the one decoder layer
        assert weights.shape == (heads, len(found.subwords) + 1, len(row.source) + 1)
        np.testing.assert_allclose(weights.sum(axis=-1), 1.0, rtol=1e-5)


@pytest.mark.parametrize("precision", ["bfloat16", "int8"])
def test_narrower_numbers_give_nearly_the_same_scores(
    folders: dict[str, Path], precision: Any
) -> None:
    """Of an ensemble and, with weights, of one model, whatever is asked for before."""
    if precision == "int8" and torch.backends.quantized.engine not in INTEGER_ENGINES:
        pytest.skip("no x86 CPU")
    both = Translator.load([folders["words"], folders["recurrent"]], accelerator="cpu")
    one = Translator.load(folders["words"], accelerator="cpu")
    for translator, options in ((both, {}), (one, {"need_weights": True})):
        row = Row.of_subwords(["w1", "w2", "w3"], translator.artifacts[0].vocabularies[0])
        exact = translator.translate([row], **options)
        (found,) = translator.translate([row], precision=precision, **options)
        assert found.score == pytest.approx(exact[0].score, rel=0.1)
        assert found.weights.keys() == exact[0].weights.keys()
        assert translator.translate([row], **options)[0].score == exact[0].score


def test_models_of_other_vocabularies_are_refused(folders: dict[str, Path]) -> None:
    artifact = load_model(folders["words"])
    source, target = artifact.vocabularies
    other = replace(artifact, vocabularies=(Vocabulary((*source.symbols, "more")), target))
    with pytest.raises(InputError, match="expected the source vocabulary of the model"):
        Translator([artifact, other], torch.device("cpu"))


ROW = Row(0, (5, 6), (), (2,), ((2,),), ((0,),))  # one level of phrases


@pytest.mark.parametrize(
    ("models", "sentences", "options", "message"),
    [
        (["words"], ["w1 w2"], {}, "expected rows, got 'w1 w2'; raw text goes through"),
        (["phrases"], [ROW], {}, "expected rows with 2 levels of phrases, got 1"),
        (["words", "recurrent"], [ROW], {"need_weights": True}, "weights .* expected one model"),
        (["words"], [ROW], {"prefixes": [[], []]}, "expected 1 prefixes, got 2"),
    ],
)
def test_what_cannot_be_translated_is_refused(
    folders: dict[str, Path], models: list[str], sentences: Any, options: Any, message: str
) -> None:
    translator = Translator.load([folders[name] for name in models])
    with pytest.raises(InputError, match=message):
        translator.translate(sentences, **options)


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("words", "w3 sleeps.", r"vocabulary, got 'sleeps\.'; raw text goes"),
        ("phrases", "w1 w2", "phrases: the model attends to syntactic phrases: expected rows"),
    ],
)
def test_raw_text_is_not_taken_for_subwords(
    folders: dict[str, Path], name: str, line: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        mgsa.load(folders[name]).rows_of_subwords(["w1", line])
