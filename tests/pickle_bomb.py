"""A pickle that does something when it is loaded, and what tells that it was."""

from __future__ import annotations

import pickle
from pathlib import Path


class _Bomb:
    def __init__(self, evidence: Path) -> None:
        self.evidence = evidence

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.evidence,)


def pickle_bomb(evidence: Path) -> bytes:
    """A pickle that makes the file `evidence` when it is loaded."""
    return pickle.dumps(_Bomb(evidence))
