"""Where a run stands, step by step."""

from __future__ import annotations

from mgsa.base.settings import from_mapping, to_mapping
from mgsa.data.batching import Position
from mgsa.training.loss import LossSums
from mgsa.training.state import State


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
    state = state.updated(Position(1, 0), LossSums(1.0, 1.0, 1), skipped=0)
    assert (state.update, state.position, state.skipped_batches) == (2, Position(1, 0), 1)
    assert state.interval == LossSums(2.0, 3.0, 4)
    assert state.logged().interval == LossSums()
    assert state.logged().tokens == 4
    assert not state.just_improved


def test_goes_through_json_unchanged() -> None:
    state = State.start().updated(Position(3, 4), LossSums(1 / 3, 2 / 7, 5), skipped=0)
    assert from_mapping(State, to_mapping(state.validated(-0.1)), "state") == state.validated(-0.1)
