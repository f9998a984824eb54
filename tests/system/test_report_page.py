"""The report in a real browser: no errors, nothing empty, filters that filter, no way sideways."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mgsa.base.cli import DONE, run
from pipeline.report import PAGE, main
from pipeline.report_page.page import SECTIONS
from tests.report_browser import LAPTOP, PATIENCE, PHONE, check_whole, open_page
from tests.report_folders import HOSTILE, PLAIN, arguments, write_run, write_system

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

SENTENCES = [*PLAIN, *HOSTILE, *(f"Sentence number {i} is here ." for i in range(12))]
SHOWN = "#sentences .sentence:not([hidden])"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A comparison of two systems, with text that a careless page would run or be torn by."""
    folder = write_run(tmp_path_factory.mktemp("report"), SENTENCES)
    second = write_system(folder / "second", SENTENCES, dropped=2)
    argv = arguments(folder, "--system", f"second={second}", "--set", "ranked=20")
    assert run(main, argv) == DONE
    return folder / "page" / PAGE


@pytest.fixture
def said() -> list[str]:
    """What the page said on the console, errors of its script, and what it asked the network."""
    return []


@pytest.fixture
def opened(browser: Browser, page_file: Path, said: list[str]) -> Iterator[Page]:
    """The page on a laptop; nothing may have been said when the test is over."""
    yield from open_page(browser, page_file, said, LAPTOP, "light")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_it_fits_the_screen_and_nothing_is_empty(
    browser: Browser, page_file: Path, said: list[str], size: tuple[int, int], scheme: str
) -> None:
    for page in open_page(browser, page_file, said, size, scheme):
        check_whole(page, [section.name for section in SECTIONS])
        for theme in ("Light", "Dark", "Auto"):
            page.get_by_role("button", name=theme, exact=True).click()
            assert page.evaluate("document.documentElement.scrollWidth") == size[0]
        assert (_lightness(page) > 600) == (scheme == "light")


def _lightness(page: Page) -> int:
    """Of the page's ground: the sum of red, green and blue."""
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"\d+", ground)[:3]))


def _count(page: Page) -> int:
    """How many sentences the list has, which must be what the page says."""
    # A form that is reset is read after its event: let what the page has put off be done first.
    page.evaluate("() => new Promise((done) => setTimeout(done))")
    found = page.locator(SHOWN).count()
    assert page.locator("output[name=count]").inner_text() == str(found)
    return found


def test_filters_filter(opened: Page) -> None:
    everything = _count(opened)
    assert everything == len(SENTENCES)
    text = opened.locator("[name=text]")

    text.click()
    opened.keyboard.type("NUMBER 7 is")
    assert _count(opened) == 1
    assert "Sentence number 7 is here ." in opened.locator(SHOWN).inner_text()
    text.fill("<script>")
    assert _count(opened) == 1
    text.fill("שלום")
    assert _count(opened) == 1
    text.fill("nowhere to be found")
    assert _count(opened) == 0
    opened.get_by_role("button", name="Reset the filters").click()
    assert _count(opened) == everything

    opened.locator("[name=shortest]").fill("300")
    assert _count(opened) == 1
    opened.get_by_role("button", name="Reset", exact=True).click()
    opened.locator("[name=longest]").fill("2")
    assert _count(opened) == 1
    opened.get_by_role("button", name="Reset", exact=True).click()
    assert _count(opened) == everything

    scores = [
        float(s)
        for s in opened.locator(".sentence").evaluate_all("a => a.map((x) => x.dataset.score)")
    ]
    middle = sorted(scores)[len(scores) // 2]
    opened.locator("[name=lowest]").fill(str(middle))
    assert _count(opened) == sum(score >= middle for score in scores)
    opened.locator("[name=highest]").fill(str(middle))
    assert _count(opened) == sum(score == middle for score in scores)


def test_one_system_alone_in_the_charts(opened: Page) -> None:
    opened.locator("#curves .legend button", has_text="second").click()
    lines = opened.locator('#curves [aria-roledescription="line mark"]')
    faded = opened.locator('#curves [aria-roledescription="line mark"].faded')
    assert faded.count() == lines.count() // 2
    pressed = opened.locator(".legend button[aria-pressed=true]")
    assert set(pressed.all_inner_texts()) == {"second"}
    # What is drawn of other things than systems stays.
    assert opened.locator("#probing .faded").count() == 0
    opened.locator("#curves .legend button", has_text="second").click()
    assert opened.locator(".faded").count() == 0


def test_the_contents_fold_on_a_phone_only(
    browser: Browser, page_file: Path, said: list[str]
) -> None:
    for page in open_page(browser, page_file, said, PHONE, "light"):
        toggle = page.get_by_role("button", name="Contents")
        link = page.get_by_role("link", name="Learning curves")
        assert not link.is_visible()
        toggle.click()
        link.click()
        assert page.evaluate("location.hash") == "#curves"
        assert not link.is_visible()
    for page in open_page(browser, page_file, said, LAPTOP, "light"):
        assert not page.get_by_role("button", name="Contents").is_visible()
        assert page.get_by_role("link", name="Learning curves").is_visible()


def test_without_scripts_all_is_there(browser: Browser, page_file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(page_file.as_uri())
    assert page.locator(".sentence").count() == len(SENTENCES)
    assert page.locator(".sentence").last.is_visible()
    assert not page.locator(".filters").is_visible()
    assert not page.locator(".theme").is_visible()
    context.close()
