"""What is used of libraries beside their documented interfaces: an update that moves it fails here.

Versions are pinned in `pyproject.toml` to those that have it.
"""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest
import torch
from sacremoses.normalize import MosesPunctNormalizer
from sacremoses.tokenize import MosesTokenizer

STANZA = {
    "models.constituency_parser.parse_args": "args",
    "models.constituency.tree_reader.read_treebank": "filename",
    "models.constituency.utils.remove_duplicate_trees": "trees treebank_name",
    "models.constituency.parser_training.build_trainer": "args train_trees dev_trees silver_trees "
    "foundation_cache model_load_file",
    "models.constituency.parser_training.iterate_training": "args trainer train_trees "
    "train_sequences transitions dev_trees silver_trees silver_sequences foundation_cache",
    "models.common.utils.set_random_seed": "seed",
    "models.common.pretrain.PretrainedWordVocab": "data",
    "resources.common.expand_model_url": "resources model_url",
}
"""Functions of stanza's training code, and their first parameters."""


@pytest.mark.parametrize("name", STANZA)
def test_stanzas_training_code_is_called_as_it_is(name: str) -> None:
    module, _, function = name.rpartition(".")
    parameters = inspect.signature(getattr(import_module(f"stanza.{module}"), function)).parameters
    needed = STANZA[name].split()
    assert list(parameters)[: len(needed)] == needed


def test_stanzas_constants_are_where_they_are_read() -> None:
    common = import_module("stanza.resources.common")
    for name in ("DEFAULT_RESOURCES_VERSION", "DEFAULT_RESOURCES_URL", "DEFAULT_MODEL_URL"):
        assert isinstance(getattr(common, name), str), name
    assert import_module("stanza.models.common.vocab").VOCAB_PREFIX


def test_sacremoses_has_the_rules_that_are_made_faster() -> None:
    """`pipeline.tokenizers.moses` replaces them by name."""
    rules = ("DEDUPLICATE_SPACE", "COMMA_SEPARATE_1", "COMMA_SEPARATE_2", "COMMA_SEPARATE_3")
    for rule in rules:
        pattern, substitution = getattr(MosesTokenizer, rule)
        assert hasattr(pattern, "sub"), rule
        assert isinstance(substitution, str), rule
    for rule in ("ENGLISH_SPECIFIC_APOSTROPHE", "FR_IT_SPECIFIC_APOSTROPHE"):
        assert getattr(MosesTokenizer, rule), rule
    tokenizer = MosesTokenizer("en")
    assert tokenizer.IsAlpha
    assert tokenizer.NONBREAKING_PREFIXES
    for method in ("isanyalpha", "handles_nonbreaking_prefixes", "tokenize"):
        assert callable(getattr(tokenizer, method)), method
    assert callable(MosesPunctNormalizer("en").normalize)


def test_torch_has_onednns_operators() -> None:
    """`mgsa.operators` computes without them, at half the speed."""
    assert hasattr(torch.ops.mkldnn, "_linear_pointwise")
    assert hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
