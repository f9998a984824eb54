"""The live page: what it shows, other phrases, and in a browser, by pointer and by keyboard."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import ProxyHandler, Request, build_opener

import pytest

import mgsa
import pipeline
from mgsa.cli.errors import InputError
from mgsa.data.dataset import open_dataset
from pipeline.explore.__main__ import Server, main
from pipeline.explore.page import Question, render
from pipeline.explore.sentence import Explorer, cuts_of
from pipeline.text_model import TextModel
from tests.report_browser import LAPTOP, PHONE, browser, open_page
from tests.text_folders import with_toy_parser

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["browser"]

SENTENCE = "the man sees a dog in the house ."


@pytest.fixture(scope="module")
def explorer(models: Path) -> Explorer:
    dataset = open_dataset(models / "dataset")
    opened = {
        "phrases": TextModel(mgsa.load(models / "phrases"), with_toy_parser(dataset)),
        "words": pipeline.load(models / "words"),
    }
    return Explorer(opened, beam=3, n_best=2)


@pytest.fixture(scope="module")
def server(explorer: Explorer) -> Iterator[Server]:
    with Server(explorer, 0) as started:
        threading.Thread(target=started.serve_forever, args=(0.01,), daemon=True).start()
        yield started
        started.shutdown()


def get(server: Server, place: str) -> str:
    with build_opener(ProxyHandler({})).open(server.address + place) as answer:
        content: bytes = answer.read()
    return content.decode()


def test_a_sentence_is_what_the_translator_makes_of_it(explorer: Explorer) -> None:
    found = explorer.explore(SENTENCE)
    for name, reading in found.readings.items():
        (alone,) = explorer.models[name].translate([SENTENCE], beam=3, n_best=2, links=True)
        assert reading.translation.n_best == alone.n_best
        assert {each.place for each in reading.maps} == {"encoder", "decoder", "cross"}
    assert tuple(map(tuple, found.phrases)) == found.readings["phrases"].translation.phrases


def test_each_model_has_its_own_target_language(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(explorer.targets, "words", "ar")
    page = render(explorer, Question(SENTENCE))
    assert "phrases, words en → de, ar" in page
    of_phrases, of_words = page.split('class="model"')[1:]
    assert ('lang="de"' in of_phrases, 'lang="ar"' in of_phrases) == (True, False)
    assert ('lang="de"' in of_words, 'lang="ar"' in of_words) == (False, True)


def test_other_phrases_are_what_models_see(explorer: Explorer) -> None:
    parsed = explorer.explore(SENTENCE)
    assert explorer.explore(SENTENCE, cuts_of(parsed.phrases)).phrases == parsed.phrases
    cuts = ((4,), (2, 4), (1, 2, 4))
    found = explorer.explore(SENTENCE, cuts)
    assert cuts_of(found.readings["phrases"].translation.phrases) == cuts
    encoder = [each.maps[0].keys for each in found.readings.values()]
    assert encoder[0]["syntactic_1"] == ("the man sees a", "dog in the house .", "</s>")
    assert list(encoder[1]) == ["words"]
    scores = [each.readings["phrases"].translation.n_best[0].score for each in (parsed, found)]
    assert scores[0] != scores[1]


def test_pages_tell_what_was_wrong(server: Server) -> None:
    assert "<main" in get(server, "")
    wrong = get(server, "?text=a+cat&cuts=9/9/9")
    assert 'role="alert">level 1: expected phrases that cover 2 words' in wrong
    assert 'value="a cat"' in wrong
    assert 'id="parsed" href="?text=a+cat"' in wrong
    assert 'role="alert">cuts: expected 3 levels, got 1' in get(server, "?text=a&cuts=")
    long = get(server, f"?text={'a+' * 251}")
    assert 'role="alert">expected at most 250 subwords, got 251' in long
    assert 'role="alert">level 1: expected phrases' in get(server, "?text=a+b+c&cuts=2,1/1/1")
    assert "&lt;script&gt;x" in get(server, f"?text={quote('<script>x')}")
    for place in (
        "else",
        "?text=a+cat&cuts=x/x/x",
        "map?text=a",
        "map?text=a&model=phrases&number=99",
        "map?text=a&model=phrases&number=-1",
    ):
        with pytest.raises(HTTPError, match="404"):
            get(server, place)
    request = Request(server.address, headers={"Host": "elsewhere.example:80"})
    with pytest.raises(HTTPError, match="403"):
        build_opener(ProxyHandler({})).open(request)


def test_any_request_is_answered_and_no_page_is_embedded(server: Server) -> None:
    for method, status in {"HEAD": 200, "OPTIONS": 501}.items():
        connection = HTTPConnection("127.0.0.1", server.server_port)
        connection.request(method, "/", headers={"Host": "localhost"})
        answer = connection.getresponse()
        assert answer.status == status
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        connection.close()


@pytest.mark.parametrize(
    "sent", [b"", b"GET /favicon.ico HTTP/1.1\r\n\r\n", b"PUT / HTTP/1.1\r\n\r\n"]
)
def test_a_connection_that_ends_is_no_traceback(
    server: Server, sent: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port)) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset
        client.sendall(sent)
    assert "<form" in get(server, "/")
    assert capfd.readouterr().err == ""


def test_a_port_that_is_taken_is_named(server: Server, models: Path) -> None:
    model = f"words={models / 'words'}"
    with pytest.raises(InputError, match=rf"--port {server.server_port}: Address already in use"):
        main(["--model", model, "--port", str(server.server_port)])
    with pytest.raises(InputError, match="--port: expected less than or equal to 65535"):
        main(["--model", model, "--port", "70000"])


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_in_a_browser(server: Server, browser: Browser, size: tuple[int, int]) -> None:
    for page in open_page(browser, f"{server.address}?text={quote(SENTENCE)}", size, "light"):
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        before = page.locator(".translation").all_inner_texts()
        cut = page.locator(".cut", has_text="·").first
        name = cut.get_attribute("id")
        cut.focus()
        page.keyboard.press("Enter")
        page.wait_for_selector(f"#{name}:text('|')")
        assert page.evaluate("document.activeElement.id") == name
        assert "cuts=" in page.url
        assert page.locator(".translation").all_inner_texts()[1] == before[1]
        page.locator("details", has_text="Encoder self-attention").first.locator("summary").click()
        assert page.locator(".encoder img").first.evaluate("(i) => i.decode().then(() => i.width)")
        page.go_back()
        page.wait_for_selector(f"#{name}:text('·')")
        assert page.locator(".translation").all_inner_texts() == before
        page.get_by_role("searchbox").fill("a dog .")
        page.keyboard.press("Enter")
        page.wait_for_selector("#cut-1-3", state="detached")
        assert page.locator(".tree i").count() == 3
        assert page.locator(".encoder").first.get_attribute("open") is not None  # as it was
