"""Whole models: nothing leaks, batches do not matter, one word at a time gives the same."""

from __future__ import annotations

import copy
from functools import partial

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mgsa.data.batch import Row
from mgsa.model.compiled import compiled
from mgsa.model.encoder_decoder import EncoderDecoder
from tests.random_rows import (
    MODELS,
    NUM_TAGS,
    SYNTACTIC,
    VOCABULARY,
    batch_of,
    batches_of_rows,
    mgsa,
    random_model,
    some_rows,
)

FEW = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> EncoderDecoder:
    """Every model once."""
    return random_model(MODELS[request.param])


@FEW
@given(rows=batches_of_rows(), data=st.data())
def test_a_target_word_changes_nothing_before_it(
    model: EncoderDecoder, rows: list[Row], data: st.DataObject
) -> None:
    batch = batch_of(model, rows)
    before = model(batch).logits
    sentence = data.draw(st.integers(0, len(rows) - 1))
    position = data.draw(st.integers(0, batch.target_input.shape[1] - 1))
    batch.target_input[sentence, position] = VOCABULARY - 1 - batch.target_input[sentence, position]
    after = model(batch).logits
    changed = (after != before).any(dim=-1)
    assert changed[sentence, position]
    changed[sentence, position:] = False
    assert not changed.any()


@FEW
@given(rows=batches_of_rows())
def test_what_stands_at_padding_changes_nothing(model: EncoderDecoder, rows: list[Row]) -> None:
    batch = batch_of(model, rows)
    before = model(batch).logits
    positions = torch.arange(batch.source.shape[1])
    batch.source[positions >= batch.source_lengths[:, None]] = VOCABULARY - 1
    torch.testing.assert_close(model(batch).logits, before, rtol=0, atol=0)


@FEW
@given(rows=batches_of_rows())
def test_a_batch_equals_its_sentences_one_by_one(model: EncoderDecoder, rows: list[Row]) -> None:
    together = model(batch_of(model, rows))
    for b, row in enumerate(rows):
        alone = model(batch_of(model, [row]))
        torch.testing.assert_close(together.logits[b, : len(row.target) + 1], alone.logits[0])
        for granularity, logits in alone.tag_logits.items():
            torch.testing.assert_close(
                together.tag_logits[granularity][b, : logits.shape[1]], logits[0]
            )


@FEW
@given(rows=batches_of_rows())
def test_one_word_at_a_time_gives_what_all_at_once_do(
    model: EncoderDecoder, rows: list[Row]
) -> None:
    batch = batch_of(model, rows)
    expected = model(batch).logits.log_softmax(dim=-1)
    steps = batch.target_input.shape[1]
    state = model.start(model.encode(batch))
    for t in range(steps):
        log_probabilities, state = model.step(state, batch.target_input[:, t])
        torch.testing.assert_close(log_probabilities, expected[:, t])


def test_tags_of_upper_layers_go_by_layer() -> None:
    model = random_model(mgsa(layers=(1, 2)))
    batch = batch_of(model, some_rows(3, 5))
    logits = model(batch).tag_logits
    assert list(logits) == [*SYNTACTIC, *(f"{name}@2" for name in SYNTACTIC)]
    for name in SYNTACTIC:
        assert logits[name].shape == (*batch.tags[name].shape, NUM_TAGS)
        assert not torch.equal(logits[name], logits[f"{name}@2"])


def test_bfloat16_autocast_trains_and_decodes(model: EncoderDecoder) -> None:
    model = copy.deepcopy(model).float().train()
    batch = batch_of(model, some_rows(3, 5))
    expected = model(batch).logits
    recurrent = [module for module in model.modules() if isinstance(module, torch.nn.LSTM)]
    dtypes: list[torch.dtype] = []  # of recurrences: float16 underflows on a GPU
    for module in recurrent:
        module.register_forward_hook(lambda _, __, output: dtypes.append(output[1][0].dtype))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(batch).logits
        state = model.start(model.encode(batch))
        stepped, _ = model.step(state, batch.target_input[:, 0])
    torch.testing.assert_close(logits.float(), expected, rtol=0.1, atol=0.1)
    assert stepped.dtype == torch.float32
    assert set(dtypes) == ({torch.float32} if recurrent else set())
    logits.float().sum().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.slow  # a compiled training is in `tests/mgsa/training/test_run.py`
@pytest.mark.parametrize(
    "name",
    [
        "transformer",
        "n-grams, LSTM, LSTM",
        "syntactic, self-attention, tags, ON-LSTM",
        "ConvKV, heterogeneous",
        "QueryK, interleaved",
        "RNN, key-value",
    ],
)
def test_a_compiled_model_is_the_same(name: str) -> None:
    """Traced, that is; the backend that makes kernels of it is torch's affair."""
    model = random_model(MODELS[name])
    traced = compiled(copy.deepcopy(model), backend="aot_eager")
    for lengths in ((3, 5), (6, 2, 4)):
        batch = batch_of(model, some_rows(*lengths))
        torch.testing.assert_close(traced(batch).logits, model(batch).logits)


@pytest.mark.gpu
def test_a_gpu_gives_what_the_cpu_does(model: EncoderDecoder) -> None:
    batch = batch_of(model, some_rows(3, 5))
    expected = model(batch)
    on_gpu = copy.deepcopy(model).to("cuda").train()  # there is no dropout; cuDNN's LSTM insists
    given = on_gpu(batch.to(torch.device("cuda")))
    # Positions have float32's sines, and each device its own.
    near = partial(torch.testing.assert_close, rtol=1e-5, atol=1e-6)
    near(given.logits.cpu(), expected.logits)
    given.logits.sin().sum().backward()
    model.zero_grad()
    expected.logits.sin().sum().backward()
    for ours, theirs in zip(on_gpu.parameters(), model.parameters(), strict=True):
        if theirs.grad is not None:
            assert ours.grad is not None
            near(ours.grad.cpu(), theirs.grad)
