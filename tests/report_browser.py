"""The report in the system's Chromium, and what must hold of every page of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PHONE, LAPTOP = (390, 844), (1280, 900)
DRAWN = {"alignments", "attention", "corpus", "curves", "patterns", "phrases", "probing", "scores"}
"""The sections that draw something."""

PATIENCE = 300_000
"""Milliseconds that a busy machine may take to do what is asked of the browser."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium, without a window."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium on PATH")
    with sync_api.sync_playwright() as playwright:
        # As root, and in a container, Chromium has no sandbox.
        opened = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"], timeout=PATIENCE
        )
        yield opened
        opened.close()


def open_page(
    browser: Browser, address: str, size: tuple[int, int], scheme: str, **options: Any
) -> Iterator[Page]:
    """A page in a window of this size; it may say nothing, and ask for nothing from elsewhere."""
    said: list[str] = []
    viewport = {"width": size[0], "height": size[1]}
    context = browser.new_context(viewport=viewport, color_scheme=scheme, **options)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: said.append(request.url))
    page.goto(address)
    yield page
    context.close()
    # Pictures that hold their own data are requests to Chromium.
    assert [
        text for text in said if not text.startswith(("data:", address.partition("?")[0]))
    ] == []


def check_whole(page: Page, sections: Sequence[str]) -> None:
    """Check that these sections are there with text, and that every drawing is to be seen."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    folded = ".fold[aria-expanded=false]"  # on a phone
    page.evaluate(f"document.querySelectorAll('{folded}').forEach((one) => one.click())")
    for name in sections:
        section = page.locator(f"#{name}")
        assert len(section.inner_text().split()) > 10, name
        drawings = section.locator("svg.marks, img").all()
        assert drawings or name not in DRAWN, name
        for drawing in drawings:
            box = drawing.bounding_box()  # what is too wide for its place scrolls inside it
            assert box is not None, name
            assert box["width"] > 0, name
            assert box["height"] > 0, name
