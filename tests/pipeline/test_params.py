"""Which composition of the groups a parameter file is; what no stage can take is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.run import run
from mgsa.cli.settings import read_yaml
from pipeline.params import SETTINGS, check_parameters, compose, describe, main, nearest_composition
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


def test_the_nearest_composition_is_named_and_what_it_does_not_give(config: Path) -> None:
    params = compose(config, ["corpus=b", "model=large"])
    assert params == {
        "corpus": {"name": "b"},
        "bpe": {"merges": 200},
        "parser": {"kind": "p"},
        "align": {"kind": "l"},
        "model": {"dim": 4, "phrases": {"levels": [1, 2]}},
        "train": {"epochs": 1},
    }
    options, differences = nearest_composition(params, config)
    assert differences == {}
    assert list(describe(options, differences, Path("params.yaml"))) == [
        "params.yaml is corpus=b parser=p align=l model=large train=cpu"
    ]
    params["model"]["phrases"]["levels"] = [1]
    params["bpe"]["merges"] = None
    del params["train"]["epochs"]
    options, differences = nearest_composition(params, config)
    assert options["model"] == "large"
    assert set(list(describe(options, differences, Path("params.yaml")))[1:]) == {
        "  model.phrases.levels: [1] (the preset has [1, 2])",
        "  bpe.merges: null (the preset has 200)",
        "  train.epochs: nothing (the preset has 1)",
    }
    # A section in place of a value: by its keys.
    params["bpe"]["merges"] = {"joint": 200}
    assert nearest_composition(params, config)[1]["bpe.merges.joint"] == (200, "nothing")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("model/small.yaml", "dim: 2\nphrases: [", r"model/small\.yaml:2: expected YAML: "),
        ("config.yaml", "defaults:\n- corpus: a\n-\n", "conf: .*[Uu]nsupported"),
        ("config.yaml", "defaults: 3\n", "conf: .*defaults must be a list"),
        ("config.yaml", "bpe: ${bpe}\n", "conf: .*([Rr]ecursive|maximum)"),
    ],
)
def test_malformed_groups_are_named(config: Path, name: str, content: str, message: str) -> None:
    (config / name).write_text(content, "utf-8")
    with pytest.raises(InputError, match=message):
        compose(config, [])


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("model=huge", "'model/huge'; expected one of large, small"),
        ("modle=large", "'modle'"),
        ("train.epoch=1", r"'train\.epoch'"),
        ("model=large a=b", "model=large a=b"),
    ],
)
def test_a_mistyped_override_is_named(config: Path, override: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compose(config, [override])


def test_a_composition_is_written_if_it_can_be_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    params = tmp_path / "params.yaml"
    argv = ["--config", str(CONF), "--params", str(params), "--write", "model=transformer_base"]
    assert run(main, argv) == 0
    assert read_yaml(params) == compose(CONF, ["model=transformer_base"])
    assert run(main, [*argv, "train.max_epochs=three"]) == 2
    assert "train.max_epochs: expected a valid integer, got 'three'" in capsys.readouterr().err
    assert read_yaml(params) == compose(CONF, ["model=transformer_base"])


def test_a_wrong_key_of_any_section_is_found() -> None:
    content = compose(CONF, [])
    for name in SETTINGS:
        mistyped = {**content, name: {**content[name], "mistyped": 1}}
        with pytest.raises(InputError, match=rf"{name}\.mistyped: unknown key"):
            check_parameters(mistyped, Path("params.yaml"))
        with pytest.raises(InputError, match=f"{name}: missing section"):
            check_parameters({k: v for k, v in content.items() if k != name}, Path("params.yaml"))
    with pytest.raises(InputError, match="modle: unknown section; expected one of corpus"):
        check_parameters({**content, "modle": {}}, Path("params.yaml"))


@pytest.mark.parametrize("section", ["evaluate", "phrasal_patterns"])
@pytest.mark.parametrize(
    ("language", "tokenizer"), [("zh", "13a"), ("de", "zh"), ("ko", "ja-mecab")]
)
def test_a_tokeniser_that_cannot_fit_the_target_language_is_refused(
    section: str, language: str, tokenizer: str
) -> None:
    given = ["corpus=local", "parser=none", "model=transformer_tiny"]
    given.append(f"corpus.target_language={language}")
    check_parameters(compose(CONF, given), Path("params.yaml"))
    content = compose(CONF, [*given, f"{section}.bleu_tokenizer={tokenizer}"])
    message = rf"^params\.yaml: {section}\.bleu_tokenizer: expected auto or char for .*{tokenizer}"
    with pytest.raises(InputError, match=message):
        check_parameters(content, Path("params.yaml"))
