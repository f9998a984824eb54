"""What a section is: a name, a title, and a function from the inputs to what its template shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pipeline.report_page.inputs import Inputs

Context = Mapping[str, Any]
"""What a template is filled with."""


class Section(NamedTuple):
    """A section of the page.

    Attributes:
        name: its id on the page; its template is `templates/sections/NAME.html`.
        group: the part of the table of contents that it is in.
        context: what the template is filled with, or `None` where its inputs are not given: then
            the section is left out.
    """

    name: str
    title: str
    group: str
    context: Callable[[Inputs], Context | None]
