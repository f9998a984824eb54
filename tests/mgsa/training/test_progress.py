"""What a run shows."""

from __future__ import annotations

import re
import sys
import time

import pytest

from mgsa.training.progress import Display


def test_a_terminal_has_a_bar_with_lines_above_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    display = Display(visible=True)
    with display.running():
        assert display.has_bar
        display.updated(7, tokens=100, loss=2.5, done=0.25)
        display.line("a line [with brackets]")
    shown = capsys.readouterr().err
    assert "a line [with brackets]" in shown
    assert re.search(r"update 7 .*loss 2\.500 .*tokens/s.*25%", shown)


def test_a_log_has_lines_of_one_process_alone(capsys: pytest.CaptureFixture[str]) -> None:
    for visible in (True, False):
        display = Display(visible=visible)
        with display.running():
            display.updated(1, tokens=100, loss=2.0, done=0.5)
            display.line(f"visible: {visible}")
    assert capsys.readouterr().err == "visible: True\n"


def test_a_log_is_not_silent_for_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "perf_counter", lambda: now)
    display = Display(visible=True)
    with display.running():
        for update, seconds in ((1, 40), (2, 20), (3, 20), (4, 20)):
            now += seconds
            display.updated(update, tokens=100, loss=1.0, done=update / 10)
    assert capsys.readouterr().err.splitlines() == [
        "update 2  loss 1.000  3 tokens/s  20%, 0:02:40 left",
        "update 4  loss 1.000  4 tokens/s  40%, 0:02:00 left",
    ]


def test_the_speed_is_that_of_updates_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "perf_counter", lambda: now)
    display = Display(visible=False)
    with display.running():
        now += 2
        display.updated(1, tokens=300, loss=1.0, done=0.1)
        with display.pausing():
            now += 100
        now += 1
        display.updated(2, tokens=300, loss=1.0, done=0.2)
    assert display.tokens_per_second == 200  # 600 tokens in three seconds
