"""Every preset is taken by the stages; the papers' models have the papers' sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from mgsa.cli.errors import InputError
from mgsa.cli.settings import from_mapping
from mgsa.config import ModelConfig, TrainConfig
from mgsa.model.build import build_model
from pipeline.experiment.plan import Plan
from pipeline.params.presets import GROUPS, compose
from pipeline.params.sections import SETTINGS, check_parameters
from tests.imports import ROOT
from tests.random_rows import VOCABULARY

CONF = ROOT / "conf"
OPTIONS = [(group, path.stem) for group in GROUPS for path in sorted((CONF / group).glob("*.yaml"))]
SPLIT = ("wmt14_en_de", "wmt18_zh_en", "kftt_en_ja")  # a vocabulary for each language
MODELS = [name for group, name in OPTIONS if group == "model"]


@pytest.mark.parametrize(("group", "option"), OPTIONS)
def test_a_preset_is_taken_by_the_stages(group: str, option: str) -> None:
    others = []
    if (group, option) == ("parser", "none"):
        others = ["model=transformer_tiny"]  # the default one would have no phrases
    elif group == "corpus" and option != "sample":
        others = ["parser=stanza"]  # the default one would have no treebank
        others += ["model=mgsa_plus_base"] * (option in SPLIT)  # and two vocabularies
    sections = compose(CONF, [f"{group}={option}", *others])
    assert set(sections) == set(SETTINGS)
    check_parameters(sections, Path("params.yaml"))


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            ["parser=none"],
            "parser.kind: none gives flat trees, but the model attends to syntactic_1",
        ),
        (
            ["model=joint_alignment_tiny", "align=none"],
            "align.kind: none gives no links, but model.alignment learns from them",
        ),
        (
            ["partition.levels=2"],
            "partition.levels: expected at least 3, as the model has syntactic_3",
        ),
        (["dataset.joint_vocabulary=false"], "dataset.joint_vocabulary: expected true"),
        (["corpus=local"], "parser: it is trained on the corpus's own treebank, which this corpus"),
        (["corpus=multi30k", "parser.dev=dev.mrg"], "parser: it is trained on the corpus's own"),
        (
            ["corpus=local", "parser=trees", "corpus.train.trees=train.trees"],
            "parser.kind: trees takes those that come with the corpus, and this one lacks them in",
        ),
        (
            ["corpus=wmt14_en_de_37k", "parser=stanza", "align=corpus"],
            "align.kind: corpus takes the links that come with the corpus, and this one has none",
        ),
    ],
)
def test_what_no_section_gives_is_not_taken_for_granted(overrides: list[str], message: str) -> None:
    with pytest.raises(InputError, match=rf"params\.yaml: {message}"):
        check_parameters(compose(CONF, overrides), Path("params.yaml"))


@pytest.mark.parametrize(
    ("option", "change", "message"),
    [
        ("joint_alignment_tiny", {"layer": 5}, r"alignment\.layer: expected 1 to 4"),
        ("joint_alignment_tiny", {"full_context": False, "sentences": 0.5}, "sentences: expected"),
        ("joint_alignment_tiny", {"sentences": 0.0}, "sentences: expected greater than or"),
        ("conv_kv_heterogeneous_tiny", {}, "alignment: expected heads of cross-attention that att"),
        ("rnn_attn_tiny", {}, "alignment: expected layer 1 and no full_context"),
    ],
)
def test_an_impossible_alignment_head_is_refused(
    option: str, change: dict[str, Any], message: str
) -> None:
    alignment = compose(CONF, ["model=joint_alignment_tiny"])["model"]["alignment"]
    section = compose(CONF, [f"model={option}"])["model"] | {"alignment": alignment | change}
    with pytest.raises(InputError, match=message):
        from_mapping(ModelConfig, section, "model")


def model_of(option: str) -> ModelConfig:
    section = compose(CONF, [f"model={option}"])["model"]
    model: ModelConfig = from_mapping(ModelConfig, section, "model")
    return model


def size_of(config: ModelConfig, source: int, target: int) -> int:
    """How many weights a model has, without tag classifiers."""
    with torch.device("meta"):
        model = build_model(config, source_vocabulary=source, target_vocabulary=target, num_tags=0)
    return sum(weight.numel() for weight in model.parameters())


@pytest.mark.parametrize(
    ("corpus", "size", "system", "millions"),
    [
        # Hao et al. 2019, tables 1 to 4
        ("wmt14_en_de model.share_embeddings=none", "base", "transformer", 88.0),
        ("wmt14_en_de", "base", "mgsa_max_pool_all", 88.0),
        ("wmt14_en_de", "base", "mgsa_self_attention_all", 90.4),
        ("wmt14_en_de", "base", "mgsa_lstm_all", 96.1),
        ("wmt14_en_de", "base", "mgsa_ngram", 88.4),
        ("wmt14_en_de", "base", "mgsa_phrases_tags_lstm", 89.5),
        ("wmt14_en_de", "base", "mgsa_phrases_on_lstm", 89.9),
        ("wmt14_en_de model.share_embeddings=none", "big", "transformer", 264.1),
        # Vaswani et al. 2017, table 3, and so Nguyen & Joty 2018
        ("wmt14_en_de_37k", "base", "transformer", 63.1),
        ("wmt16_en_de", "base", "transformer", 63.1),
        # Garg et al. 2019, section 5.2, have 213, with a vocabulary of some 36,000
        ("wmt14_en_de_37k", "big", "align_full_context", 214.2),
    ],
)
def test_systems_have_the_papers_sizes(
    corpus: str, size: str, system: str, millions: float
) -> None:
    own = Plan.read(ROOT / "experiments").overrides(system, size)
    sections = compose(CONF, [*own, *f"corpus={corpus} parser=stanza".split()])
    check_parameters(sections, Path("params.yaml"))
    joint = sections["dataset"]["joint_vocabulary"]
    vocabularies = (37_000, 37_000) if joint else (28_500, 28_600)  # of 32,000 merges
    config = from_mapping(ModelConfig, sections["model"], "model")
    assert round(size_of(config, *vocabularies) / 1e6, 1) == millions


@pytest.mark.parametrize("attention", ["attn", "key_value", "modifying_iw"])
def test_recurrent_models_have_the_sizes_that_the_equations_give(attention: str) -> None:
    """Of width D, with vocabularies of V words: three stacks of two LSTMs."""
    V, D = 30_000, 540
    lstm = 4 * D * 2 * D + 2 * 4 * D  # torch has two biases
    initial = D * 2 * D + 2 * D  # hidden states of two layers
    w_e, w_d = D * 2 * D, D * 2 * D
    if attention == "key_value":
        w_e, w_d = 2 * (D // 2 * D), D * (D + D // 2)  # W_f and W_g for W_e
    found = size_of(model_of(f"rnn_{attention}_base"), V, V)
    assert found == 3 * V * D + V + 6 * lstm + initial + w_e + w_d


@pytest.mark.parametrize("option", MODELS)
def test_a_model_of_every_preset_is_built(option: str) -> None:
    size = size_of(model_of(option), VOCABULARY, VOCABULARY)
    assert (size > 5_000_000) == (not option.endswith("tiny"))


@pytest.mark.parametrize(
    ("option", "dim", "factor"),
    [("gpu", 512, 1), ("gpu8", 512, 1), ("gpu8_big", 1024, 1), ("gpu_phrase", 512, 2)],
)
def test_the_papers_learning_rates(option: str, dim: int, factor: int) -> None:
    """Vaswani et al. 2017, equation 3: the rate peaks at the end of warm-up, at (d w)^-0.5."""
    train = from_mapping(TrainConfig, compose(CONF, [f"train={option}"])["train"], "train")
    assert train.learning_rate == pytest.approx(factor * (dim * train.warmup) ** -0.5, rel=0.01)
    assert train.optimizer_betas == (0.9, 0.98)
    assert train.label_smoothing == 0.1


def test_phrase_attentions_train_as_in_the_paper() -> None:
    """Nguyen & Joty 2018, section 4.1; beam and length penalty are those of every composition."""
    content = compose(CONF, ["train=gpu_phrase", "model=query_k_interleaved_base"])
    train = from_mapping(TrainConfig, content["train"], "train")
    assert (content["run"]["devices"], train.batch_tokens, train.accumulate) == (1, 4096, 1)
    assert (train.warmup, train.max_updates) == (16_000, 500_000)
    assert (train.artifact, train.keep_last, train.checkpoint_every) == ("average", 5, 10_000)
    assert content["model"]["dropout"] == 0.1
    assert (content["translate"]["beam"], content["translate"]["length_penalty"]) == (5, 0.6)


@pytest.mark.parametrize("attention", ["attn", "key_value", "modifying_iw"])
def test_recurrent_models_train_as_in_the_paper(attention: str) -> None:
    """Mino et al. 2017: 540 wide, dropout 0.5, N(0, 0.05), 64 pairs of up to 40 words, beam 10."""
    content = compose(CONF, ["train=gpu_rnn", f"model=rnn_{attention}_base"])
    train = from_mapping(TrainConfig, content["train"], "train")
    model = content["model"]
    assert (model["attention"], model["dim"]) == (attention, 540)
    assert (model["encoder_layers"], model["decoder_layers"]) == (2, 2)
    assert (model["dropout"], model["init_std"]) == (0.5, 0.05)
    assert (train.batch_sentences, train.accumulate, content["run"]["devices"]) == (64, 1, 1)
    assert train.batch_tokens >= 64 * 2 * (40 + 1)  # no limit, even of words in two subwords each
    assert (train.learning_rate, train.warmup, train.decay) == (1e-3, 1, "none")
    assert (train.optimizer_betas, train.optimizer_eps) == ((0.9, 0.999), 1e-8)
    assert (train.max_epochs, train.best_by, train.artifact) == (20, "bleu", "best")
    assert (train.patience, train.validate_every) == (3, None)  # in epochs; three is ours
    assert (content["tokenize"]["max_tokens"], content["tokenize"]["max_ratio"]) == (40, None)
    assert (content["bpe"]["unit"], content["bpe"]["min_count"]) == ("word", 3)
    assert (content["translate"]["beam"], content["translate"]["length_penalty"]) == (10, 0)
