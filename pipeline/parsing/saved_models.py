"""The model files that stanza leaves: whole, alike, and named when they cannot be written."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mgsa.base.io import open_to_write


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work from within `folder`; an `OSError` names a file as it is seen from without.

    Raises:
        OSError: as the block, or its `RuntimeError` is torch's way to say that the disk is full.
    """
    try:
        with contextlib.chdir(folder):
            yield
    except OSError as error:
        if error.filename is None:
            raise
        raise OSError(error.errno, error.strerror, str(folder / error.filename)) from error
    except RuntimeError as error:
        for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            if os.strerror(number) in str(error):
                raise OSError(number, os.strerror(number), str(folder)) from error
        raise


def load_saved(path: Path) -> dict[str, Any]:
    """What stanza saved; where it can't save, it mostly goes on without a word.

    Raises:
        OSError: it could not save the whole of it.
    """
    import torch

    try:
        model: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        message = "stanza could not save the whole of it; is the disk full?"
        raise OSError(errno.EIO, message, str(path)) from error
    return model


def save_alike(path: Path) -> None:
    """Save a model anew, so that the same weights are the same bytes.

    stanza saves in torch's old format, which names tensors by their addresses in memory, and saves
    the parser's rare words in the order of a set.

    Raises:
        OSError: it can't be written; the disk may be full.
    """
    import torch

    model = load_saved(path)
    if "rare_words" in model.get("params", {}):
        model["params"]["rare_words"] = sorted(model["params"]["rare_words"])
    try:
        with open_to_write(path, "wb") as file:
            torch.save(model, file)
    except RuntimeError as error:  # which says nothing of the file's own error
        message = "could not be written; is the disk full?"
        raise OSError(errno.EIO, message, str(path)) from error
