"""Signals are remembered, and given back to whom they belonged."""

from __future__ import annotations

import signal
import threading

import pytest

from mgsa.training.interruption import Interrupted, Interruption


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_remembered_and_handlers_come_back(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with Interruption() as interruption:
        assert interruption.signal is None
        signal.raise_signal(number)
        assert interruption.signal == number
    assert signal.getsignal(number) is before


def test_a_second_sigint_interrupts_at_once() -> None:
    with Interruption():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_the_process_ends_with_the_status_that_shells_give(number: int, status: int) -> None:
    assert Interrupted(number).code == status


def test_outside_the_main_thread_handlers_are_left_alone() -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen = []

    def use() -> None:
        with Interruption() as interruption:
            seen.append((interruption.signal, signal.getsignal(signal.SIGTERM)))

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert seen == [(None, before)]
