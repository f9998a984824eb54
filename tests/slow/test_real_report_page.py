"""The page of a pipeline that has really run, in a real browser: all sections, nothing empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.report.__main__ import PAGE
from pipeline.report.page import SECTIONS
from tests.dvc_project import Project
from tests.report_browser import LAPTOP, PHONE, check_whole, open_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

OVER_SEEDS = "tables"
"""The section that a run of one model has not."""


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_nothing_of_it_is_empty(
    reproduced: Project, browser: Browser, size: tuple[int, int]
) -> None:
    path = reproduced.folder / "data/report" / PAGE
    for page in open_page(browser, path.as_uri(), size, "light"):
        check_whole(page, [section.name for section in SECTIONS if section.name != OVER_SEEDS])
        assert page.evaluate("document.documentElement.scrollWidth") == size[0]
