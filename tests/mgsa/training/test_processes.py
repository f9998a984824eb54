"""Devices, and signals that are remembered."""

from __future__ import annotations

import signal

import pytest
import torch

from mgsa.cli.errors import InputError
from mgsa.training.processes import make_fabric, remembering_signals


def test_several_machines_need_torchrun() -> None:
    with pytest.raises(InputError, match="nodes: 2 machines need torchrun"):
        make_fabric("cpu", 1, 2, precision="32-true")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match=r"devices: expected at most 0 \(GPUs here\), got 1"):
        make_fabric("gpu", 1, 1, precision="32-true")


def test_more_processes_than_cores_are_refused() -> None:
    with pytest.raises(InputError, match=r"devices: expected at most \d+ \(cores here\), got 9999"):
        make_fabric("cpu", 9999, 1, precision="32-true")


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
