"""The report in a real browser: no errors, nothing empty, filters that filter, no way sideways."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mgsa.cli.run import DONE, run
from pipeline.report.__main__ import PAGE, main
from pipeline.report.page import SECTIONS
from tests.report_browser import LAPTOP, PHONE, check_whole, open_page
from tests.report_folders import HOSTILE, PLAIN, SYSTEM, arguments, write_run, write_system

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


SENTENCES = [*PLAIN, *HOSTILE, *(f"Sentence number {i} is here ." for i in range(12))]
SHOWN = "#sentences .sentence:not([hidden])"
OUTPUTS = f"{SHOWN} .output:visible"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A comparison of two systems, with text that a careless page would run or be torn by."""
    folder = write_run(tmp_path_factory.mktemp("report"), SENTENCES)
    second = write_system(folder / "second", SENTENCES, dropped=2)
    argv = arguments(folder, "--system", f"second={second}", "--set", "ranked=20")
    argv += ["--table", str(folder / "tables/some.json")]
    assert run(main, argv) == DONE
    return folder / "page" / PAGE


@pytest.fixture
def opened(browser: Browser, page_file: Path) -> Iterator[Page]:
    """The page on a laptop."""
    yield from open_page(browser, page_file.as_uri(), LAPTOP, "light")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_it_fits_the_screen_and_nothing_is_empty(
    browser: Browser, page_file: Path, size: tuple[int, int], scheme: str
) -> None:
    for page in open_page(browser, page_file.as_uri(), size, scheme):
        check_whole(page, [section.name for section in SECTIONS])
        for theme in ("Light", "Dark", "Auto"):
            page.get_by_role("button", name=theme, exact=True).click()
            assert page.evaluate("document.documentElement.scrollWidth") == size[0]
            assert _is_light(page) == (theme == "Light" or (theme, scheme) == ("Auto", "light"))


def _is_light(page: Page) -> bool:
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"\d+", ground)[:3])) > 600


def _count(page: Page) -> int:
    """How many sentences the list has, which must be what the page says."""
    # A form that is reset is read after its event: let what the page has put off be done first.
    page.evaluate("() => new Promise((done) => setTimeout(done))")
    count = page.locator(SHOWN).count()
    assert page.locator("output[name=count]").inner_text() == str(count)
    return count


def _data(page: Page, key: str) -> list[float]:
    """What each sentence has under a key, in order."""
    numbers = page.locator(".sentence").evaluate_all(f"a => a.map(x => Number(x.dataset.{key}))")
    return list(numbers)


def test_filters_filter(opened: Page) -> None:
    assert _count(opened) == len(SENTENCES)
    for field, value, expected in (
        ("text", "NUMBER 7 is", 1),
        ("text", "<script>", 1),
        ("text", "שלום", 1),
        ("text", "nowhere to be found", 0),
        ("shortest", "300", 1),
        ("longest", "2", 1),
    ):
        opened.locator(f"[name={field}]").fill(value)
        assert _count(opened) == expected, value
        opened.get_by_role("button", name="Reset", exact=True).click()
        assert _count(opened) == len(SENTENCES)
    scores = _data(opened, "score")
    middle = sorted(scores)[len(scores) // 2]
    opened.locator("[name=lowest]").fill(str(middle))
    assert _count(opened) == sum(score >= middle for score in scores)
    opened.locator("[name=highest]").fill(str(middle))
    assert _count(opened) == scores.count(middle)
    opened.get_by_role("button", name="Reset", exact=True).click()
    opened.get_by_label("List").select_option("different")
    assert _count(opened) == opened.locator(".sentence[data-lists*=different]").count()


def test_one_system_alone_and_printed_on_white(opened: Page) -> None:
    assert opened.locator(OUTPUTS).count() == 2 * 10  # the first ten sentences
    opened.get_by_role("button", name="Dark", exact=True).click()
    opened.locator("[name=system]").select_option("second")
    listed = opened.locator(OUTPUTS).all_inner_texts()
    assert [text.split()[0] for text in listed] == ["second"] * 10
    opened.emulate_media(media="print")
    assert opened.locator(OUTPUTS).all_inner_texts() == listed
    assert opened.locator(".filters:visible, .toc:visible").count() == 0
    assert _is_light(opened)
    opened.emulate_media(media="screen")
    lowest = float(opened.locator(f"{OUTPUTS} .score").first.inner_text())
    opened.locator("[name=lowest]").fill(str(lowest + 0.1))
    assert _count(opened) < len(SENTENCES)


def test_sentences_come_in_the_order_that_was_asked_for(opened: Page) -> None:
    for order in ("score", "-score", "-spread", "-length", "index"):
        opened.get_by_label("Order").select_option(order)
        values = _data(opened, order.removeprefix("-"))
        assert values == sorted(values, reverse=order.startswith("-"))
    assert opened.locator(".sentence:visible").count() == 10
    opened.get_by_role("button", name=re.compile("^Show .+ more")).click()
    assert opened.locator(".sentence:visible").count() == len(SENTENCES)


def test_the_keyboard_reaches_everything(opened: Page) -> None:
    opened.keyboard.press("Tab")
    assert opened.evaluate("document.activeElement.textContent") == "Skip to the content"
    reached: list[str] = []
    name = "(e => e.name || e.dataset.theme || e.className || e.tagName)(document.activeElement)"
    while "BODY" not in reached and len(reached) < 400:
        opened.keyboard.press("Tab")
        reached.append(opened.evaluate(name))
    for name in ("auto", "light", "dark", "text", "list", "system", "order", "scroll"):
        assert name in reached, name
    assert reached.index("dark") < reached.index("text") < reached.index("order")
    opened.get_by_role("button", name="Dark", exact=True).focus()
    opened.keyboard.press("Enter")
    assert not _is_light(opened)


def test_a_mark_under_the_pointer_tells_its_numbers(opened: Page) -> None:
    mark = opened.locator('#curves [aria-roledescription="point"]').first
    mark.scroll_into_view_if_needed()
    mark.hover(force=True)
    assert opened.locator(".tip").inner_text() == f"update: 100\nvalue: 5.5\n{SYSTEM}"
    opened.get_by_role("heading", name="Learning curves").hover()
    assert not opened.locator(".tip").is_visible()


def test_one_system_alone_in_the_charts(opened: Page) -> None:
    button = opened.locator("#curves .legend button", has_text="second")
    button.click()
    lines = opened.locator('#curves [aria-roledescription="line mark"]')
    faded = opened.locator('#curves [aria-roledescription="line mark"].faded')
    assert faded.count() == lines.count() // 2
    pressed = opened.locator(".legend button[aria-pressed=true]")
    assert set(pressed.all_inner_texts()) == {"second"}
    # What is drawn of other things than systems stays.
    assert opened.locator("#probing .faded").count() == 0
    button.click()
    assert opened.locator(".faded").count() == 0


def test_the_contents_fold_on_a_phone_only(browser: Browser, page_file: Path) -> None:
    for page in open_page(browser, page_file.as_uri(), PHONE, "light"):
        link = page.get_by_role("link", name="Learning curves")
        assert not link.is_visible()
        page.get_by_role("button", name="Contents").click()
        link.click()
        assert page.evaluate("location.hash") == "#curves"
        assert not link.is_visible()
    for page in open_page(browser, page_file.as_uri(), LAPTOP, "light"):
        assert not page.get_by_role("button", name="Contents").is_visible()
        assert page.get_by_role("link", name="Learning curves").is_visible()


def test_without_scripts_all_is_there(browser: Browser, page_file: Path) -> None:
    for page in open_page(browser, page_file.as_uri(), LAPTOP, "light", java_script_enabled=False):
        assert page.locator(".sentence").count() == len(SENTENCES)
        assert page.locator(".sentence").last.is_visible()
        assert page.locator(".filters:visible, .theme:visible").count() == 0
