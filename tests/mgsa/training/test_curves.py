"""The curves: what the file holds, and what an observer is told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from mgsa.base.errors import InputError
from mgsa.training.curves import Curves, read_curves

BEFORE = '{"update": 10, "train_loss": 2.5}\n{"update": 10, "valid_nll": 3.0}\n'


class Told:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, dict[str, float]]] = []

    def __call__(self, update: int, metrics: Mapping[str, float]) -> None:
        self.lines.append((update, dict(metrics)))


def test_a_resumed_run_tells_all_and_drops_what_the_checkpoint_lacks(tmp_path: Path) -> None:
    path, told = tmp_path / "curves.jsonl", Told()
    path.write_text(BEFORE + '{"update": 20, "train_loss": 9.9}\n', encoding="utf-8")
    curves = Curves(path, BEFORE, told)
    curves.append(20, {"train_loss": 0.1 + 0.2})
    assert told.lines == [
        (10, {"train_loss": 2.5}),
        (10, {"valid_nll": 3.0}),
        (20, {"train_loss": 0.1 + 0.2}),
    ]
    expected = BEFORE + '{"update": 20, "train_loss": 0.30000000000000004}\n'
    assert path.read_text(encoding="utf-8") == curves.text == expected


def test_a_process_that_is_not_to_write_writes_nothing() -> None:
    curves = Curves(None, "", Told())
    curves.append(1, {"train_loss": 1.0})
    assert curves.text == '{"update": 1, "train_loss": 1.0}\n'


def test_looks_up_the_newest_line_of_an_update_that_has_a_metric() -> None:
    curves = Curves(None, BEFORE, Told())
    curves.append(10, {"valid_nll": 2.0})
    curves.append(20, {"valid_nll": 1.0})
    assert curves.at(10, "valid_nll") == {"valid_nll": 2.0}
    assert curves.at(10, "train_loss") == {"train_loss": 2.5}
    with pytest.raises(InputError, match="curves: expected train_loss at update 20"):
        curves.at(20, "train_loss")


def test_curves_are_read_as_they_stand(tmp_path: Path) -> None:
    (tmp_path / "curves.jsonl").write_text(BEFORE, encoding="utf-8")
    assert read_curves(tmp_path / "curves.jsonl") == BEFORE


@pytest.mark.parametrize(
    "line", ["", "5", "[]", "{}", "x", '{"update": "1"}', '{"update": 1, "x": []}']
)
def test_what_is_no_curve_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "curves.jsonl"
    path.write_text(f"{BEFORE}{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"curves\.jsonl:3: expected the metrics of an update, \{"):
        read_curves(path)
