from __future__ import annotations

import pytest
import torch

from mgsa.base.errors import InputError
from mgsa.decoding.device import choose_device


def test_the_cpu_is_there() -> None:
    assert choose_device("cpu").type == "cpu"


def test_a_gpu_is_taken_where_there_is_one() -> None:
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    assert choose_device("auto").type == expected


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_an_error() -> None:
    with pytest.raises(InputError, match="accelerator: expected cpu or auto, as there is no GPU"):
        choose_device("gpu")
