"""State, curves and display of a run."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from mgsa.base.settings import from_mapping, to_mapping
from mgsa.data.batching import Position
from mgsa.training.loss import LossSums
from mgsa.training.progress import Curves, Display, State

BEFORE = '{"update": 10, "train_loss": 2.5}\n{"update": 10, "valid_nll": 3.0}\n'


def test_scores_are_followed() -> None:
    state = State.start()
    followed = []
    for score in (1.0, 3.0, 3.0, 2.0, 4.0):
        state = state.updated(Position(0, state.update + 1), LossSums(), skipped=0)
        state = state.validated(score)
        followed.append((state.best_update, state.bad_validations, state.just_improved))
    # A tie is no improvement: of two equals the earlier stays.
    assert followed == [(1, 0, True), (2, 0, True), (2, 1, False), (2, 2, False), (5, 0, True)]


def test_an_update_moves_on_and_a_line_begins_a_new_interval() -> None:
    state = State.start().updated(Position(0, 2), LossSums(1.0, 2.0, 3), skipped=1)
    state = state.updated(Position(1, 0), LossSums(1 / 3, 1.0, 1), skipped=0)
    assert (state.update, state.position, state.skipped_batches) == (2, Position(1, 0), 1)
    assert state.interval == LossSums(4 / 3, 3.0, 4)
    assert (state.logged().interval, state.logged().tokens) == (LossSums(), 4)
    assert from_mapping(State, to_mapping(state), "state") == state


def test_a_resumed_run_tells_all_and_drops_what_the_checkpoint_lacks(tmp_path: Path) -> None:
    path = tmp_path / "curves.jsonl"
    told: list[tuple[int, Mapping[str, float]]] = []
    path.write_text(BEFORE + '{"update": 20, "train_loss": 9.9}\n', encoding="utf-8")
    curves = Curves(path, BEFORE, lambda *line: told.append(line))
    curves.append(20, {"train_loss": 0.1 + 0.2})
    assert told == [
        (10, {"train_loss": 2.5}),
        (10, {"valid_nll": 3.0}),
        (20, {"train_loss": 0.1 + 0.2}),
    ]
    expected = BEFORE + '{"update": 20, "train_loss": 0.30000000000000004}\n'
    assert path.read_text(encoding="utf-8") == curves.text == expected


def test_the_newest_validation_of_an_update_is_found() -> None:
    curves = Curves(None, BEFORE)
    curves.append(10, {"valid_nll": 2.0})
    curves.append(20, {"valid_nll": 1.0})
    assert curves.validation(10) == {"valid_nll": 2.0}


def test_a_log_has_a_line_a_validation(capsys: pytest.CaptureFixture[str]) -> None:
    for visible in (True, False):  # of several processes, one says something
        display = Display(visible=visible)
        with display.running():
            display.updated(1, tokens=100, loss=2.0, done=0.5)
            display.validated(3, {"valid_nll": 1.23456, "valid_bleu_tokenized": 12.0})
    (line,) = capsys.readouterr().err.splitlines()
    expected = r"update 3: valid_nll 1\.235  valid_bleu_tokenized 12  [\d,]+ tokens/s"
    assert re.fullmatch(expected, line)


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
    assert re.search(r"25%.*update 7 .*loss 2\.500 .*tokens/s", shown)


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
    assert display.tokens_per_second == 200
