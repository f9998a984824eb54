"""Which composition of the groups a parameter file is; what no stage can take is refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from mgsa.cli.errors import InputError
from mgsa.cli.files import read_json
from mgsa.cli.run import run
from mgsa.cli.settings import read_yaml
from pipeline.params.__main__ import main
from pipeline.params.machine import check_machine
from pipeline.params.presets import change as change_of
from pipeline.params.presets import check_files, compose, describe, nearest_composition
from pipeline.params.sections import SETTINGS, check_parameters
from tests.copy_task import write_copy_task
from tests.imports import ROOT
from tests.model_folders import random_model

CONF = ROOT / "conf"
GROUPS = {
    "config.yaml": "defaults:\n- _self_\n- corpus: a\n- parser: p\n- align: l\n- model: small\n"
    "- train: cpu\n"
    "bpe:\n  merges: 100\n",
    "corpus/a.yaml": "# @package _global_\ncorpus:\n  name: a\n",
    "corpus/b.yaml": "# @package _global_\ncorpus:\n  name: b\n  extra: x\nbpe:\n  merges: 200\n",
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
        "corpus": {"name": "b", "extra": "x"},
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
    # An option that can't be composed is none that the file is.
    (config / "model/mine.yaml").write_text("dim: ${oc.env:NOWHERE}\n", "utf-8")
    assert nearest_composition(params, config) == (options, differences)
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


def test_a_value_that_hydra_reads_otherwise_is_named(config: Path) -> None:
    check_files(config)
    (config / "train/cpu.yaml").write_text("epochs: 010\n", "utf-8")
    message = r"cpu\.yaml: epochs: expected what reads alike in YAML 1\.2 \(10\) and 1\.1 \(8\)"
    with pytest.raises(InputError, match=message):
        check_files(config)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("model=huge", r"model=huge: unknown option \(expected one of large, small\)"),
        ("model=lage", r"model=lage: unknown option \(large\?\)"),
        ("modle=large", r"modle: unknown key \(model\?\)"),
        ("train.epoch=1", r"train\.epoch: unknown key \(train\.epochs\?\)"),
        ("model=null", "model=null: unknown option"),
        ("train.epochs.x=1", r"train\.epochs\.x: no key, as 1 stands in place of its section"),
        ("model", "model: expected GROUP=OPTION or KEY=VALUE"),
        ("corpus.extra=x", r"corpus\.extra: unknown key \(with corpus=b it is one\)"),
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
    composition = f"{CONF} with model=transformer_base train.max_epochs=three"
    expected = "train.max_epochs: expected a valid integer, got 'three'"
    assert f"\nerror: {composition}: {expected}\n" in capsys.readouterr().err
    assert read_yaml(params) == compose(CONF, ["model=transformer_base"])


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("corpus.name", "Übersetzung [1] #2", "Übersetzung [1] #2"),
        ("corpus.name", "2014.", "2014."),
        ("corpus.name", "null", None),
        ("corpus.name", "'null'", "null"),
        ("train.epochs", "[1, 2]", [1, 2]),
        ("model.phrases", "{levels: [3]}", {"levels": [3]}),
    ],
)
def test_values_are_taken_as_a_user_writes_them(
    config: Path, key: str, text: str, value: object
) -> None:
    section, name = key.split(".")
    assert compose(config, [f"{key}={text}"])[section][name] == value


@pytest.mark.parametrize("name", ["größe", "l'or", "a=b", "512", "null", "my model", "a,b(2)#"])
def test_an_option_may_have_any_name(config: Path, name: str) -> None:
    (config / f"model/{name}.yaml").write_text("dim: 5\nphrases: null\n")
    params = compose(config, [f"model={name}"])
    assert params["model"]["dim"] == 5
    assert nearest_composition(params, config)[0]["model"] == name


def change(content: dict[str, Any], config: Path, overrides: list[str]) -> dict[str, Any]:
    return change_of(content, nearest_composition(content, config)[0], config, overrides)


def test_a_change_keeps_the_rest(config: Path) -> None:
    before = compose(config, ["corpus=b", "model=large", "train.epochs=7", "bpe.merges=300"])
    after = change(before, config, ["model=small", "corpus.extra=y"])
    assert after == compose(
        config, ["corpus=b", "model=small", "train.epochs=7", "bpe.merges=300", "corpus.extra=y"]
    )
    before["model"]["phrases"] = None
    before["bpe"]["merges"] = {1: "a.b"}
    after = change(before, config, ["train.epochs=8"])
    assert after == before | {"train": {"epochs": 8}}
    before["model"]["phrases"], before["bpe"]["merges"] = {"levels": [1, 2]}, 300
    # An option brings all values in which it differs.
    assert change(before, config, ["corpus=a"]) == compose(
        config, ["corpus=a", "model=large", "train.epochs=7"]
    )


def test_what_is_lost_is_told_and_no_other_file_is_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    params = tmp_path / "params.yaml"
    argv = ["--config", str(CONF), "--params", str(params)]
    assert run(main, [*argv, "--write", "model=transformer_tiny", "train.max_epochs=3"]) == 0
    assert run(main, [*argv, "--change", "train.seed=2"]) == 0
    assert read_yaml(params)["train"]["max_epochs"] == 3
    params.write_text(f"{params.read_text()}# mine\n")
    capsys.readouterr()
    assert run(main, [*argv, "--write"]) == 0
    assert capsys.readouterr().err.splitlines()[1:] == [
        "  model=mgsa_plus_tiny (before: transformer_tiny)",
        "  train.seed: 1 (before: 2)",
        "  train.max_epochs: 14 (before: 3)",
        "  comments are gone",
    ]
    config = shutil.copytree(CONF, tmp_path / "conf")
    shutil.copy(config / "model/transformer_tiny.yaml", config / "model/a_copy.yaml")
    for name in ("a_copy", "transformer_tiny"):  # equal ones: the one asked for is named
        assert run(main, ["--config", str(config), *argv[2:], "--write", f"model={name}"]) == 0
        assert f"model={name}" in capsys.readouterr().err
    report = tmp_path / "params.json"
    assert run(main, [*argv, "--report", str(report), "--write", "model=transformer_tiny"]) == 0
    assert read_json(report)["model"] == "transformer_tiny"
    for text in ("A dog .\n", "services: {}\n", "train: {lr: 0.1}\nmodel: resnet\n"):
        params.write_text(text)
        assert run(main, [*argv, "--write"]) == 2
        assert params.read_text() == text


def test_an_output_of_the_pipeline_is_no_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(ROOT / "dvc.yaml", tmp_path)
    (tmp_path / "links").mkdir()
    (tmp_path / "links/train.en").symlink_to("../data/corpus/train.source")
    argv = ["--config", str(CONF), "--params", str(tmp_path / "params.yaml"), "--write"]
    for key, name in (
        ("train.initial", "data/model"),
        ("train.initial", "data"),
        ("corpus.folder", "data/corpus"),
        ("corpus.folder", "links"),
    ):
        path = tmp_path / name
        of_corpus = ["corpus=local", "parser=none", "model=rnn_attn_tiny"] * ("corpus" in key)
        assert run(main, [*argv, *of_corpus, f"{key}={path}"]) == 2
        assert f"{key}: expected a copy of {path}" in capsys.readouterr().err
    assert run(main, [*argv, "train.initial=elsewhere"]) == 0
    assert run(main, argv[:-1]) == 2
    assert "train.initial: no such file: elsewhere" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["train=gpu"], "run: expected accelerator cpu"),
        (["run.parse_gpu=true"], "run.parse_gpu: expected false"),
        (["evaluate.commands=['x=nowhere {hypotheses}']"], "evaluate.commands: no program nowhere"),
        (["parser=stanza", "parser.resources=."], r"resources\.json: no such file"),
        (["bpe.codes=."], r"bpe\.codes: no such file"),
        (["train.frozen=[encodr]"], r"expected names of weights \(source_embedding, .* 'encodr'"),
    ],
)
def test_what_this_machine_lacks_is_found_first(overrides: list[str], message: str) -> None:
    sections = check_parameters(compose(CONF, overrides), Path("params.yaml"))
    with pytest.raises(InputError, match=message):
        check_machine(sections, Path("params.yaml"))


def test_an_artifact_that_does_not_fit_is_found_first(tmp_path: Path) -> None:
    model = random_model(tmp_path / "model", write_copy_task(tmp_path / "dataset", train=9))
    for overrides, message in (
        ([f"train.initial={model}"], r"model\.safetensors: weight .*: expected torch.float32 of"),
        (
            [
                *(f"dataset.vocabulary={model}", "dataset.joint_vocabulary=false"),
                "model.share_embeddings=decoder",
            ],
            r"vocab\.json: expected two lists, as dataset\.joint",
        ),
    ):
        sections = check_parameters(compose(CONF, overrides), Path("params.yaml"))
        with pytest.raises(InputError, match=message):
            check_machine(sections, Path("params.yaml"))


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
    message = rf"^params\.yaml: {section}\.bleu_tokenizer: expected auto.* for .*{tokenizer}"
    with pytest.raises(InputError, match=message):
        check_parameters(content, Path("params.yaml"))
