"""Where a step would wait for a GPU: on the meta device, whose tensors have no values to be read.

What reads one there raises (`item`, `nonzero`, a copy to the CPU); on a GPU it waits, which torch
tells if it is asked.
"""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from mgsa.decoding.continuations import best_continuations
from mgsa.training.loss import LossWeights, Objective
from tests.random_rows import MODELS, batch_of, random_model, some_rows

META = torch.device("meta")
PACKED = "n-grams, LSTM, LSTM"
"""torch packs sequences by lengths on the CPU."""


class Copies(TorchDispatchMode):
    """Counts operations between the CPU and the device, numbers left out."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        output = func(*args, **(kwargs or {}))
        tensors = [x for x in tree_leaves((args, kwargs, output)) if isinstance(x, Tensor)]
        if len({x.device for x in tensors if x.dim() or x.is_meta}) > 1:
            self.names.append(str(func))
        return output


@pytest.fixture
def without_autocast(monkeypatch: pytest.MonkeyPatch) -> None:
    """It knows no meta device."""
    monkeypatch.setattr(torch, "autocast", lambda *_, **__: contextlib.nullcontext())


@pytest.mark.usefixtures("without_autocast")
@pytest.mark.parametrize("name", [name for name in MODELS if name != PACKED])
def test_a_training_step_copies_its_batch_once_and_reads_nothing(name: str) -> None:
    model = random_model(MODELS[name]).train()
    batch = batch_of(model, some_rows(6, 3, 9))
    objective = Objective(model.to(META), LossWeights(0.1, 0.1, 0.1))
    with Copies() as copies:
        loss, sums = objective(vars(batch.to(META)))
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    assert copies.names == ["aten._to_copy.default"]
    assert all(x.is_meta for x in (sums, norm))


@pytest.mark.usefixtures("without_autocast")
@pytest.mark.parametrize("name", [name for name in MODELS if name != PACKED])
def test_a_step_of_a_search_reads_nothing(name: str) -> None:
    """Until its best continuations are copied to the host, which the search does once a step."""
    model = random_model(MODELS[name]).to(META)
    batch = batch_of(model, some_rows(6, 3, 9)).to(META)
    parents, words, scores = (
        torch.zeros(shape, dtype=dtype, device=META)
        for shape, dtype in (((2, 4), torch.int64), ((8,), torch.int64), ((2, 4), torch.float32))
    )
    with Copies() as copies, torch.inference_mode():
        state = model.start(model.encode(batch))
        _, state = model.step(state, batch.target_input[:, 0])
        for sentences in (parents[:, 0], None):
            state = state.reorder(sentences, parents)
            log_probs, state = model.step(state, words)
            values, _ = best_continuations(log_probs.float(), scores, 8)
    assert copies.names == []
    assert values.shape == (2, 8)


@pytest.mark.gpu
@pytest.mark.parametrize("name", [name for name in MODELS if name != PACKED])
def test_a_gpu_is_not_waited_for(name: str) -> None:
    model = random_model(MODELS[name]).float().train()
    batch = batch_of(model, some_rows(6, 3, 9))
    objective = Objective(model.to("cuda"), LossWeights(0.1, 0.1, 0.1))
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for mode in ("default", "error"):  # what is loaded and chosen once may wait
        torch.cuda.set_sync_debug_mode(mode)
        try:
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss, _ = objective(vars(batch.to(torch.device("cuda"))))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        finally:
            torch.cuda.set_sync_debug_mode("default")
