"""The composition of the groups that a parameter file is."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.command import run
from mgsa.errors import InputError
from mgsa.settings import read_yaml
from pipeline.composition import compose, describe, main, nearest_composition

GROUPS = {
    "config.yaml": "defaults:\n- _self_\n- corpus: a\n- parser: p\n- model: small\n- train: cpu\n"
    "bpe:\n  merges: 100\n",
    "corpus/a.yaml": "# @package _global_\ncorpus:\n  name: a\n",
    "corpus/b.yaml": "# @package _global_\ncorpus:\n  name: b\nbpe:\n  merges: 200\n",
    "parser/p.yaml": "kind: p\n",
    "model/small.yaml": "dim: 2\nphrases: null\n",
    "model/large.yaml": "defaults:\n- small\n- _self_\ndim: 4\nphrases:\n  levels: [1, 2]\n",
    "train/cpu.yaml": "epochs: 1\n",
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "conf"
    for name, text in GROUPS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_composing_puts_options_together(config: Path) -> None:
    assert compose(config, ["corpus=b", "model=large"]) == {
        "corpus": {"name": "b"},
        "bpe": {"merges": 200},
        "parser": {"kind": "p"},
        "model": {"dim": 4, "phrases": {"levels": [1, 2]}},
        "train": {"epochs": 1},
    }


def test_a_composition_is_recognised(config: Path) -> None:
    found = nearest_composition(compose(config, ["corpus=b", "model=large"]), config)
    assert found.options == {"corpus": "b", "parser": "p", "model": "large", "train": "cpu"}
    assert describe(found) == ["params.yaml is corpus=b parser=p model=large train=cpu"]


def test_what_no_composition_gives_is_named(config: Path) -> None:
    params = compose(config, ["corpus=b", "model=large"])
    params["model"]["phrases"]["levels"] = [1]
    params["bpe"]["merges"] = 150
    del params["train"]["epochs"]
    found = nearest_composition(params, config)
    assert found.options["model"] == "large"
    assert found.differences == {
        "model.phrases.levels": ([1], [1, 2]),
        "bpe.merges": (150, 200),
        "train.epochs": ("nothing", 1),
    }


def test_an_unknown_option_is_one_line(config: Path) -> None:
    with pytest.raises(InputError, match="model/huge"):
        compose(config, ["model=huge"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"dim: 2\nphrases: [", r"model/small\.yaml:2: expected YAML: "),
        (b"dim: 2\n# M\xfcller\n", r"model/small\.yaml:2: expected UTF-8 text: .* at byte 4$"),
    ],
)
def test_a_malformed_option_is_named(config: Path, content: bytes, message: str) -> None:
    (config / "model" / "small.yaml").write_bytes(content)
    with pytest.raises(InputError, match=message):
        compose(config, [])


def test_the_command_writes_a_composition(config: Path, tmp_path: Path) -> None:
    params = tmp_path / "params.yaml"
    argv = ["--config", str(config), "--params", str(params), "--write", "model=large"]
    assert run(main, argv) == 0
    assert read_yaml(params) == compose(config, ["model=large"])
