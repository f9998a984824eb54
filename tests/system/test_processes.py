"""Two CPU processes (gloo) train as one process does on the same updates."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.copy_task import write_copy_task
from tests.imports import ROOT
from tests.running import PATIENCE
from tests.training_runs import SETTINGS, finish, start, torchrun, wait_for_checkpoint
from tests.training_settings import ALIGNMENT, write_settings

TORCHRUN = torchrun(2)


MODEL = {"encoder_layers": 1, "alignment": ALIGNMENT}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dataset, and the model that one process trains on it."""
    folder = tmp_path_factory.mktemp("processes")
    write_copy_task(folder / "dataset", train=27, links=True)
    finish(folder, "one", accumulate=4, model=MODEL)
    return folder


def curves(folder: Path, name: str) -> list[dict[str, float]]:
    """The lines of a run's curves."""
    text = (folder / name / "curves.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def assert_same_as_one(folder: Path, other: str) -> None:
    """Losses and scores are the same up to float rounding.

    Weights are not all so: of a gradient that is nothing but rounding, such as that of the keys'
    bias, Adam makes steps of full size.
    """
    lines = list(zip(curves(folder, "one"), curves(folder, other), strict=True))
    assert len(lines) == 14
    for expected, found in lines:
        assert found == pytest.approx(expected, rel=1e-4), expected["update"]
        for name in ("train_loss", "train_nll", "train_alignment_nll", "valid_nll"):
            if name in expected:
                assert found[name] == pytest.approx(expected[name], rel=1e-5), name


def test_two_processes_give_the_losses_of_one(folder: Path) -> None:
    finish(folder, "fabric", accumulate=2, devices=2, model=MODEL)
    assert_same_as_one(folder, "fabric")
    assert any("train_alignment_nll" in line for line in curves(folder, "one"))


def test_a_run_goes_on_in_another_number_of_processes(folder: Path) -> None:
    finish(folder, "other", TORCHRUN, accumulate=2, max_updates=10, model=MODEL)
    finish(folder, "other", accumulate=4, model=MODEL)
    assert_same_as_one(folder, "other")


@pytest.mark.parametrize(
    "devices",
    [pytest.param(1, id="torchrun"), pytest.param(2, id="fabric", marks=pytest.mark.slow)],
)
def test_a_signal_stops_all_processes_at_one_update(folder: Path, devices: int) -> None:
    launcher = TORCHRUN if devices == 1 else []
    name = f"stopped_{devices}"
    process = start(folder, name, launcher, devices=devices, max_updates=5000, max_epochs=5000)
    wait_for_checkpoint(folder, name, 8, process)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    assert said.count("SIGTERM: saved at update") == 1, said


OUT_OF_MEMORY = """
import sys, torch
from mgsa.model.encoder_decoder import EncoderDecoder
from mgsa.__main__ import main

forward = EncoderDecoder.forward

def failing(self, batch, *, need_alignment):
    if self.training and int(batch.index.min()) == 0:
        raise torch.OutOfMemoryError("CUDA out of memory")
    return forward(self, batch, need_alignment=need_alignment)

EncoderDecoder.forward = failing
main(sys.argv[1:])
"""


def test_a_batch_without_memory_is_left_out_in_every_process(folder: Path) -> None:
    """The batch of row 0, in each epoch: the others train on."""
    script = folder / "train.py"
    script.write_text(OUT_OF_MEMORY, encoding="utf-8")
    config = write_settings(
        folder / "c.yaml",
        model={"encoder_layers": 1},
        train=SETTINGS | {"max_epochs": 3, "max_updates": 1000},
    )
    command = [sys.executable, *TORCHRUN, str(script), "train", "--config", str(config)]
    command += ["--dataset", str(folder / "dataset"), "--out", str(folder / "out")]
    command += ["--accelerator", "cpu"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        text=True,
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("does not fit into memory, left out") == 3
    assert "skipped_batches\t3" in done.stdout
