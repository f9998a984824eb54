"""The command of tables runs DVC, and what DVC runs ends with it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from mgsa.cli.errors import InputError
from pipeline.experiment.__main__ import keep_choice, main
from tests.imports import ROOT
from tests.running import PATIENCE, is_running, wait_until


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Experiments of one table, whose cells take an hour each and say which process they are."""
    params = {
        "seeds": [1],
        "sizes": {"tiny": {"overrides": ""}},
        "gold": {},
        "systems": {"one": "model=transformer_tiny", "other": "model=rnn_attn_tiny"},
        "tables": {"table": {"baseline": "one", "systems": ["other"], "num_seeds": 1}},
    }
    (tmp_path / "conf").symlink_to(ROOT / "conf")
    (tmp_path / "data/dataset").mkdir(parents=True)
    tmp_path /= "experiments"
    tmp_path.mkdir()
    (tmp_path / "overrides.yaml").write_text("{size: tiny, overrides: []}", "utf-8")
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params), "utf-8")
    matrix = {"system": ["one", "other"], "seed": [1]}
    slow = "echo $$ > ${key}.process && exec sleep 3600"
    commands = {"contrast": "true", "evaluate": slow}
    stages = {name: {"matrix": matrix, "cmd": command} for name, command in commands.items()}
    (tmp_path / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}, sort_keys=False), "utf-8")
    subprocess.run(
        [sys.executable, "-m", "dvc", "init", "--no-scm", "-q"], cwd=tmp_path, check=True
    )
    return tmp_path


@pytest.mark.parametrize(
    ("number", "said"), [(signal.SIGTERM, "terminated"), (signal.SIGINT, "interrupted")]
)
def test_a_cell_ends_with_the_command(folder: Path, number: signal.Signals, said: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline.experiment", "--folder", str(folder), "table"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"DVC_NO_ANALYTICS": "1"},
    )
    cell = wait_until(
        lambda: "".join(path.read_text("utf-8") for path in folder.glob("*.process")),
        "no cell starts",
        process,
    )
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    assert errors.splitlines()[-1] == f"error: {said}"
    wait_until(lambda: not is_running(int(cell)), "the cell is still there")
    assert len(list(folder.glob("*.process"))) == 1  # the other was not begun


def test_a_table_needs_the_dataset(folder: Path) -> None:
    (folder.parent / "data/dataset").rmdir()
    with pytest.raises(InputError, match="data/dataset: no such folder, which `dvc repro dataset`"):
        main(["--folder", str(folder), "table"])
    assert not (folder / "dvc.lock").exists()


MADE_BY = {"bpe": {"merges": 200}, "corpus": {"kind": "sample"}}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("foo", "foo: expected GROUP=OPTION or KEY=VALUE"),
        ("train.max_epoch=3", "train.max_epoch: unknown key (train.max_epochs?)"),
        ("model=transformer_base", "are what tells them apart, got model=transformer_base"),
        ("train.max_epochs=abc", "--overrides: train.max_epochs: expected a valid integer"),
        ("bpe.merges=50", "bpe.merges=50: expected bpe.merges=200, of which data/dataset"),
        (
            "corpus=multi30k parser=none",
            "corpus=multi30k: expected corpus.kind='sample', of which data",
        ),
        ("train.seed=7", "are what tells them apart, got train.seed=7"),
    ],
)
def test_wrong_overrides_are_not_kept(tmp_path: Path, given: str, message: str) -> None:
    (tmp_path / "conf").symlink_to(ROOT / "conf")
    folder = tmp_path / "experiments"
    folder.mkdir()
    path = folder / "overrides.yaml"
    path.write_text("{size: tiny, overrides: []}", "utf-8")
    systems = [["model=rnn_attn_tiny"], ["model=transformer_tiny"]]
    with pytest.raises(InputError, match=re.escape(message)):
        keep_choice(folder, systems, "tiny", given, MADE_BY)
    assert path.read_text("utf-8") == "{size: tiny, overrides: []}"


def test_overrides_stay_until_others_are_given(tmp_path: Path) -> None:
    path = tmp_path / "overrides.yaml"
    path.write_text("{size: tiny, overrides: []}", "utf-8")
    keep_choice(tmp_path, [], "tiny", "train.warmup=2 'probe.tasks=[voice, tense]'", {})
    keep_choice(tmp_path, [], "base", None, {})
    kept = {"size": "base", "overrides": ["train.warmup=2", "probe.tasks=[voice, tense]"]}
    assert yaml.safe_load(path.read_text("utf-8")) == kept
