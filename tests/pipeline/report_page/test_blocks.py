"""Numbers for people, and text that stays text."""

from __future__ import annotations

from markupsafe import Markup

from pipeline.report_page import markup, numbers
from pipeline.report_page.blocks import Table
from tests.report_folders import PLAIN


def test_numbers_for_people() -> None:
    assert [numbers.plain(x) for x in (10_000, 0.5, 1988.0, 5787.4)] == [
        *("10,000", "0.5", "1,988", "5,787"),
    ]
    assert [numbers.fixed(x) for x in (81.4239, None)] == ["81.42", ""]
    assert numbers.percent(0.9603) == "96.0%"
    assert [numbers.signed(x) for x in (1.0, -8.0219)] == ["+1.00", "−8.02"]
    assert [numbers.p_value(x) for x in (0.0312, 0.000999, None)] == ["0.031", "< 0.001", ""]
    assert numbers.interval(1, 2.5) == "1.00 to 2.50"
    assert numbers.interval(None, None) == ""
    assert [numbers.duration(x) for x in (4.21, 303, 7500)] == ["4.2 s", "5 min 3 s", "2 h 5 min"]
    assert len(markup.shortened("x" * 1000)) == markup.LONGEST_SUMMARY
    assert markup.shortened(PLAIN[0]) == PLAIN[0]
    assert Table("t", ["a", "b"], [["x", ""], ["y", numbers.plain(1)]]).numeric == [False, True]


def test_text_is_escaped_and_markup_is_not() -> None:
    assert markup.html("<p>{}{}</p>", "<b>", Markup("<i>")) == "<p>&lt;b&gt;<i></p>"
    assert markup.breakable("a_<b>.c") == "a_<wbr>&lt;b&gt;.<wbr>c"
    assert markup.named("<b>", 1).count("<b>") == 0
