"""Where the rows of a search came from, step by step: a hypothesis can be told from its end.

Rows of step t are the target sentences of which token t is sought. A row of step t + 1 is a row of
step t and the token it was continued with. Nothing is copied as rows are chosen, repeated or left
out; only the way back is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from torch import Tensor

from mgsa.data.vocabulary import PAD


class Trail:
    """The steps of a search so far."""

    def __init__(self) -> None:
        self._parents: list[np.ndarray] = []
        self._tokens: list[np.ndarray] = []
        self._seen: list[Mapping[str, Tensor]] = []

    def continue_with(self, parents: np.ndarray, tokens: np.ndarray) -> None:
        """Each row of the next step: the row of this one (rows,) and the token (rows,)."""
        self._parents.append(parents)
        self._tokens.append(tokens)

    def see(self, seen: Mapping[str, Tensor]) -> None:
        """Remember what a step saw: tensors whose first axis is its rows."""
        self._seen.append(seen)

    def follow(self, steps: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What led to some hypotheses.

        Args:
            steps, rows: (n,) the step that ended each, and its row of that step.

        Returns:
            (n, T) tokens, `PAD` from the end on; (n, T + 1) the row at each step, the one that
            ended it included, −1 after it.
        """
        longest = int(steps.max(initial=0))
        tokens = np.full((len(steps), longest), PAD, dtype=np.int64)
        passed = np.full((len(steps), longest + 1), -1, dtype=np.int64)
        passed[np.arange(len(steps)), steps] = rows
        for step in range(longest - 1, -1, -1):
            going = (steps > step).nonzero()[0]
            after = passed[going, step + 1]
            tokens[going, step] = self._tokens[step][after]
            passed[going, step] = self._parents[step][after]
        return tokens, passed

    def recall(self, passed: np.ndarray) -> dict[str, np.ndarray]:
        """What one hypothesis saw at each step, given the row (steps,) it was in."""
        names = self._seen[0] if self._seen else ()
        return {
            name: np.stack(
                [
                    seen[name][row].cpu().numpy()
                    for seen, row in zip(self._seen, passed.tolist(), strict=False)
                ]
            )
            for name in names
        }
