"""Families of tags."""

from __future__ import annotations

import pytest

from pipeline.report_page.tags import FAMILIES, family


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("NP", "noun"),
        ("NP-SBJ", "noun"),
        ("NP=2", "noun"),
        ("VBD", "verb"),
        ("PRP$", "function"),
        ("-LRB-", "other"),
        (".", "other"),
        ("", "other"),
        ("<b>", "other"),
    ],
)
def test_a_tag_has_the_family_of_its_phrase(tag: str, expected: str) -> None:
    assert family(tag) == expected


def test_no_tag_is_in_two_families() -> None:
    tags = [tag for tags in FAMILIES.values() for tag in tags]
    assert len(tags) == len(set(tags))
