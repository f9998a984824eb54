"""Settings of the stage `corpus`: two codes give any direction; what cannot be is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.settings import from_mapping
from pipeline.corpus.settings import Corpus
from pipeline.params.presets import compose
from pipeline.params.sections import check_parameters
from tests.imports import ROOT

CONF = ROOT / "conf"
DEV = "dev.tgz/dev/newstest201"
EUROPARL = "training-parallel-europarl-v7.tgz/training/europarl-v7.de-en"
FILES = {
    ("multi30k", "en"): ("train.en.gz", "val.en.gz", "test_2016_flickr.en.gz"),
    ("multi30k", "de"): ("train.de.gz", "val.de.gz", "test_2016_flickr.de.gz"),
    ("wmt14_en_de", "en"): (f"{EUROPARL}.en", f"{DEV}3.en", f"{DEV}4-deen-src.en.sgm"),
    ("wmt14_en_de", "de"): (f"{EUROPARL}.de", f"{DEV}3.de", f"{DEV}4-deen-ref.de.sgm"),
}  # fmt: skip


PAIR = "{source: b, target: c}"


def settings(*overrides: str) -> Any:
    section = compose(CONF, [f"corpus{override}" for override in overrides])["corpus"]
    return from_mapping(Corpus, section, "corpus")


@pytest.mark.parametrize("preset", ["multi30k", "wmt14_en_de"])
@pytest.mark.parametrize("codes", [("en", "de"), ("de", "en"), ("de_DE", "eng")])
def test_two_language_codes_give_either_direction(preset: str, codes: tuple[str, str]) -> None:
    source, target = codes
    corpus = settings(f"={preset}", f".source_language={source}", f".target_language={target}")
    parts = [corpus.parts(split, Path())[0] for split in ("train", "valid", "test")]
    assert tuple(str(part.source) for part in parts) == FILES[preset, source[:2]]
    assert tuple(str(part.targets[0]) for part in parts) == FILES[preset, target[:2]]


def test_the_code_itself_is_taken_before_another_of_its_language() -> None:
    section = compose(CONF, ["corpus=multi30k"])["corpus"]
    texts = {
        "texts": {"pt": ["train.en.gz"], "pt_BR": ["train.de.gz"]},
        "sets": None,
        "lines": None,
    }
    section |= {"source_language": "pt_BR", "target_language": "pt"}
    section |= dict.fromkeys(("train", "valid", "test"), texts)
    (part,) = from_mapping(Corpus, section, "corpus").parts("train", Path())
    assert (str(part.source), str(part.targets[0])) == ("train.de.gz", "train.en.gz")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["=multi30k", ".target_language=fr"], "no files in fr; multi30k has de, en"),
        (["=multi30k", ".test.sets={}"], "test.sets: "),
        (["=multi30k", ".test.sets={a: {en: [], fr: []}}"], "no files in de; multi30k has en, fr"),
        (["=multi30k", ".test.sets={a: {en: [b], de: [c]}}"], "test: b is in none of the files"),
        (["=multi30k", ".valid.lines=0"], "valid.lines: expected greater than or equal to 1"),
        (["=local", ".test.lines=5", ".train.contrast=c"], "train.contrast: expected none where"),
        (["=local", ".train.columns={source: 1}"], "train.columns.target: missing key"),
        (["=local", ".train.columns={source: 1.5, target: 2}"], "train.columns.source: expected"),
        (["=local", ".test.target=3"], "test.target: expected a valid string, got 3"),
        (["=local", ".valid.source=a", ".valid.lines=5"], "valid: expected lines or source, got"),
        (["=local", ".valid.trees=a", ".valid.lines=5"], "valid: expected lines or trees, got"),
        (["=local", ".test.source=a", f".test.sets={{a: {PAIR}}}"], "test: expected sets or"),
        (["=multi30k", ".test.lines=5", ".test.sets={a: {en: [b]}}"], "test: expected lines or"),
        (["=local", ".test.sets={a: {source: b}}"], "test.sets.a.target: missing key"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(overrides: list[str], message: str) -> None:
    with pytest.raises(InputError, match=rf"^corpus[.:] ?{re.escape(message)}"):
        settings(*overrides)


def test_a_set_has_a_name() -> None:
    section = compose(CONF, ["corpus=local"])["corpus"]
    section["test"]["sets"] = {" ": {"source": "a", "target": "b"}}
    with pytest.raises(InputError, match=r"test\.sets: expected names, got a blank one"):
        from_mapping(Corpus, section, "corpus")


def test_drawn_splits_have_the_annotations_of_train() -> None:
    """`parser=trees` needs them in every split."""
    given = ["corpus=local", "parser=trees", "corpus.train.trees=t", "corpus.valid.lines=5"]
    check_parameters(compose(CONF, [*given, "corpus.test.lines=5"]), Path("params.yaml"))
    with pytest.raises(InputError, match="this one lacks them in some split"):
        check_parameters(compose(CONF, given), Path("params.yaml"))
