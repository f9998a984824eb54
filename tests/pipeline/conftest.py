"""What tests of stages share: models of a text, and servers that are told what to do wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.formats.text import SPLITS
from pipeline.stage import download
from tests.model_folders import random_model
from tests.scripted_server import Server
from tests.text_folders import build_dataset, parse_with_toy, random_texts, write_text


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a text in `corpus`, its `dataset`, and models of `phrases` and of `words`."""
    folder = tmp_path_factory.mktemp("models")
    write_text(folder, {split: random_texts(30, seed) for seed, split in enumerate(SPLITS)})
    parse_with_toy(folder)
    dataset = build_dataset(folder)
    random_model(folder / "phrases", dataset)
    random_model(folder / "words", dataset, multi_granularity=None)
    return folder


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(download, "PAUSE", 0.0)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    servers: list[Server] = []

    def start(*behaviours: str) -> Server:
        server = Server(list(behaviours))
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
