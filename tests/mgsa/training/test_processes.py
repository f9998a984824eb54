"""Devices, and signals that are remembered."""

from __future__ import annotations

import signal

import pytest
import torch

from mgsa.base.errors import InputError
from mgsa.training.processes import Devices, remembering_signals


def test_torchrun_says_how_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Devices("cpu", 2, 1).started() == Devices("cpu", 2, 1)
    torchrun = {"TORCHELASTIC_RUN_ID": "run", "LOCAL_WORLD_SIZE": "2", "WORLD_SIZE": "6"}
    for name, value in torchrun.items():
        monkeypatch.setenv(name, value)
    assert Devices("cpu", 1, 1).started() == Devices("cpu", 2, 3)


def test_several_machines_need_torchrun() -> None:
    with pytest.raises(InputError, match="nodes: 2 machines need torchrun"):
        Devices("cpu", 1, 2).started()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match=r"devices: expected at most 0 \(GPUs here\), got 1"):
        Devices("gpu", 1, 1).started()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_remembered_and_handlers_are_restored(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with remembering_signals() as received:
        signal.raise_signal(number)
        assert received == [number]
    assert signal.getsignal(number) is before


def test_a_second_sigint_interrupts_at_once() -> None:
    with remembering_signals():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
