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
from tests.report_folders import HOSTILE, PLAIN, SYSTEM, arguments, write_run, write_system

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


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


def _data(page: Page, key: str) -> list[str]:
    """What each sentence has under a key, in order."""
    found: list[str] = page.locator(".sentence").evaluate_all(f"a => a.map((x) => x.dataset.{key})")
    return found


def test_filters_filter(opened: Page) -> None:
    everything = _count(opened)
    assert everything == len(SENTENCES)
    reset = opened.get_by_role("button", name="Reset", exact=True)
    for field, value, expected in (
        ("text", "NUMBER 7 is", 1),
        ("text", "<script>", 1),
        ("text", "שלום", 1),
        ("shortest", "300", 1),
        ("longest", "2", 1),
    ):
        opened.locator(f"[name={field}]").fill(value)
        assert _count(opened) == expected, value
        reset.click()
        assert _count(opened) == everything
    opened.locator("[name=text]").fill("nowhere to be found")
    assert _count(opened) == 0
    opened.get_by_role("button", name="Reset the filters").click()

    scores = [float(s) for s in _data(opened, "score")]
    middle = sorted(scores)[len(scores) // 2]
    opened.locator("[name=lowest]").fill(str(middle))
    assert _count(opened) == sum(score >= middle for score in scores)
    opened.locator("[name=highest]").fill(str(middle))
    assert _count(opened) == sum(score == middle for score in scores)


def test_one_system_alone(opened: Page) -> None:
    assert opened.locator(f"{SHOWN} .output:visible").count() == 2 * 10  # the first ten sentences
    opened.locator("[name=system]").select_option("second")
    outputs = opened.locator(f"{SHOWN} .output:visible")
    assert outputs.count() == 10
    assert {text.split()[0] for text in outputs.all_inner_texts()} == {"second"}
    # What the other system said is not searched: it keeps one word more.
    opened.locator("[name=text]").fill("number 7")
    assert _count(opened) == 1
    scores = [
        float(one) for one in opened.locator(f"{SHOWN} .output:visible .score").all_inner_texts()
    ]
    opened.locator("[name=text]").fill("")
    opened.locator("[name=lowest]").fill(str(scores[0] + 0.1))
    assert not any("Sentence number 7" in text for text in opened.locator(SHOWN).all_inner_texts())


def test_what_is_listed_is_printed_on_white(opened: Page) -> None:
    opened.get_by_role("button", name="Dark", exact=True).click()
    opened.locator("[name=system]").select_option("second")
    listed = opened.locator(f"{SHOWN} .output:visible").all_inner_texts()
    assert len(listed) == 10
    opened.emulate_media(media="print")
    assert opened.locator(f"{SHOWN} .output:visible").all_inner_texts() == listed
    assert opened.locator(".filters:visible, .toc:visible").count() == 0
    assert _lightness(opened) > 600


def test_sentences_come_in_the_order_that_was_asked_for(opened: Page) -> None:
    for order in ("score", "-score", "-spread", "-length", "index"):
        opened.get_by_label("Order").select_option(order)
        values = [float(value) for value in _data(opened, order.removeprefix("-"))]
        assert values == sorted(values, reverse=order.startswith("-"))


def test_a_list_and_more_of_it(opened: Page) -> None:
    opened.get_by_label("List").select_option("different")
    listed = _count(opened)
    expected = opened.locator(".sentence[data-different]").count()
    assert listed == expected < len(SENTENCES) + 1
    opened.get_by_role("button", name="Reset", exact=True).click()
    assert opened.locator(".sentence:visible").count() == 10
    opened.get_by_role("button", name=re.compile("^Show . more|^Show .. more")).click()
    assert opened.locator(".sentence:visible").count() == len(SENTENCES)


def test_the_keyboard_reaches_everything(opened: Page) -> None:
    opened.keyboard.press("Tab")
    assert opened.evaluate("document.activeElement.textContent") == "Skip to the content"
    reached = []
    for _ in range(400):
        opened.keyboard.press("Tab")
        reached.append(
            opened.evaluate(
                "(() => { const e = document.activeElement;"
                " return e.name || e.dataset.theme || e.className || e.tagName; })()"
            )
        )
        if reached[-1] == "BODY":
            break
    for name in ("auto", "light", "dark", "text", "list", "system", "order", "scroll"):
        assert name in reached, name
    assert reached.index("dark") < reached.index("text") < reached.index("order")
    opened.get_by_role("button", name="Dark", exact=True).focus()
    opened.keyboard.press("Enter")
    assert opened.evaluate("document.documentElement.dataset.theme") == "dark"


def test_a_mark_under_the_pointer_tells_its_numbers(opened: Page) -> None:
    mark = opened.locator('#curves [aria-roledescription="point"]').first
    mark.scroll_into_view_if_needed()
    mark.hover(force=True)
    assert opened.locator(".tip").inner_text() == f"update: 100\nvalue: 5.5\n{SYSTEM}"
    opened.get_by_role("heading", name="Learning curves").hover()
    assert not opened.locator(".tip").is_visible()


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
