"""What a run shows, on a terminal and in a log, and the speed it measures."""

from __future__ import annotations

import io
import re
import time

import pytest

from mgsa.training.display import Display


class Terminal(io.StringIO):
    """A terminal, for those who ask."""

    def isatty(self) -> bool:
        return True


def test_a_log_has_a_line_a_validation(capsys: pytest.CaptureFixture[str]) -> None:
    with Display(visible=True) as display:
        assert not display.has_bar
        for update in (1, 2, 3):
            display.updated(update, tokens=100, loss=2.0, done=update / 3)
        display.validated(3, {"valid_nll": 1.23456, "valid_bleu_tokenized": 12.0})
    (line,) = capsys.readouterr().err.splitlines()
    expected = r"update 3: valid_nll 1\.235  valid_bleu_tokenized 12  [\d,]+ tokens/s"
    assert re.fullmatch(expected, line)


def test_other_processes_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with Display(visible=False) as display:
        display.updated(1, tokens=100, loss=2.0, done=0.5)
        display.line("nothing")
    assert capsys.readouterr().err == ""


def test_a_terminal_has_a_bar_with_lines_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with Display(visible=True) as display:
        assert display.has_bar
        display.updated(7, tokens=100, loss=2.5, done=0.25)
        display.line("a line [with brackets]")
    shown = terminal.getvalue()
    assert "a line [with brackets]" in shown
    assert re.search(r"25%.*update 7 .*loss 2\.500 .*tokens/s", shown)


def test_the_speed_is_that_of_updates_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "perf_counter", lambda: now)
    with Display(visible=False) as display:
        now += 2
        display.updated(1, tokens=300, loss=1.0, done=0.1)
        with display.pausing():
            now += 100
        now += 1
        display.updated(2, tokens=300, loss=1.0, done=0.2)
    assert display.tokens_per_second == 200
