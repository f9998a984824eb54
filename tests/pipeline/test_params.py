"""The composition of the groups that a parameter file is."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from mgsa.base.cli import run
from mgsa.base.errors import InputError
from mgsa.base.settings import read_yaml
from pipeline.base.stage import SECTIONS
from pipeline.params import compose, describe, main, nearest_composition
from tests.imports import ROOT

CONF = ROOT / "conf"
GROUPS = {
    "config.yaml": "defaults:\n- _self_\n- corpus: a\n- parser: p\n- align: l\n- model: small\n"
    "- train: cpu\n"
    "bpe:\n  merges: 100\n",
    "corpus/a.yaml": "# @package _global_\ncorpus:\n  name: a\n",
    "corpus/b.yaml": "# @package _global_\ncorpus:\n  name: b\nbpe:\n  merges: 200\n",
    "parser/p.yaml": "kind: p\n",
    "align/l.yaml": "kind: l\n",
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
        "align": {"kind": "l"},
        "model": {"dim": 4, "phrases": {"levels": [1, 2]}},
        "train": {"epochs": 1},
    }


def test_a_composition_is_recognised(config: Path) -> None:
    found = nearest_composition(compose(config, ["corpus=b", "model=large"]), config)
    assert found.options == {
        **{"corpus": "b", "parser": "p", "align": "l", "model": "large"},
        "train": "cpu",
    }
    assert describe(found, Path("params.yaml")) == [
        "params.yaml is corpus=b parser=p align=l model=large train=cpu"
    ]


def test_what_no_composition_gives_is_named(config: Path) -> None:
    params = compose(config, ["corpus=b", "model=large"])
    params["model"]["phrases"]["levels"] = [1]
    params["bpe"]["merges"] = None
    del params["train"]["epochs"]
    found = nearest_composition(params, config)
    assert found.options["model"] == "large"
    assert found.differences == {
        "model.phrases.levels": ([1], [1, 2]),
        "bpe.merges": (None, 200),
        "train.epochs": ("nothing", 1),
    }
    assert set(describe(found, Path("params.yaml"))[1:]) == {
        "  model.phrases.levels: [1] (the preset has [1, 2])",
        "  bpe.merges: null (the preset has 200)",
        "  train.epochs: nothing (the preset has 1)",
    }


def test_a_section_in_place_of_null_is_named_by_its_keys(config: Path) -> None:
    params = compose(config, ["model=large"])
    params["bpe"]["merges"] = {"joint": 200}
    assert nearest_composition(params, config).differences == {
        "bpe.merges.joint": (200, "nothing"),
    }


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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("defaults:\n- corpus: a\n-\n", "expected config groups: Unsupported type in defaults"),
        ("defaults: 3\n", "defaults must be a list"),
        ("bpe: ${bpe}\n", "Recursive|recursive|maximum"),
    ],
)
def test_what_is_no_composition_is_named(config: Path, content: str, message: str) -> None:
    (config / "config.yaml").write_text(content, "utf-8")
    with pytest.raises(InputError, match=rf"conf: .*({message})"):
        compose(config, [])


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("model=huge", "'model/huge'; expected one of large, small"),
        ("modle=large", "'modle': no such key or group"),
        ("train.epoch=1", r"'train\.epoch': no such key or group"),
        (
            "model=large a=b",
            "^model=large a=b: expected one group=option or key=value$",
        ),
    ],
)
def test_a_mistyped_override_is_one_line(config: Path, override: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compose(config, [override])


@pytest.mark.slow
def test_the_command_writes_a_composition(tmp_path: Path) -> None:
    params = tmp_path / "params.yaml"
    argv = ["--config", str(CONF), "--params", str(params), "--write", "model=transformer_base"]
    assert run(main, argv) == 0
    assert read_yaml(params) == compose(CONF, ["model=transformer_base"])


def test_an_impossible_value_is_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    params = tmp_path / "params.yaml"
    params.write_text("corpus: {}\n", encoding="utf-8")
    argv = ["--config", str(CONF), "--params", str(params), "--write", "train.max_epochs=three"]
    assert run(main, argv) == 2
    assert "train.max_epochs: expected a valid integer, got 'three'" in capsys.readouterr().err
    assert read_yaml(params) == {"corpus": {}}


@pytest.mark.parametrize("section", SECTIONS)
def test_a_wrong_key_of_any_section_is_found_first(
    section: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = compose(CONF, [])
    content[section]["mistyped"] = 1
    params, report = tmp_path / "params.yaml", tmp_path / "report.json"
    params.write_text(yaml.safe_dump(content), encoding="utf-8")
    argv = ["--config", str(CONF), "--params", str(params), "--report", str(report)]
    assert run(main, argv) == 2
    assert f"{section}.mistyped: unknown key" in capsys.readouterr().err
    assert not report.exists()
