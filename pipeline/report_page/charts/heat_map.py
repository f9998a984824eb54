"""The drawings of the stage `analyze`, made safe and small enough to stand in a page.

Of an SVG, what draws is kept and nothing else: no script, style sheet, link or event, and no name
that another drawing on the page has too. What is black takes the colour of the page's text, and the
white ground goes, so that a drawing is as light or dark as what is around it.
"""

from __future__ import annotations

import base64
import math
import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from markupsafe import Markup

from mgsa.base.errors import InputError
from mgsa.base.io import NOT_A_FILE, no_file, not_utf_8

MAX_BYTES = 8 << 20
"""Of a drawing: ten times as much as a map of long sentences takes."""
MAX_DEPTH = 50
"""Elements within each other, of which a drawing has some ten: what copies them recurses."""
ELEMENTS = frozenset(
    {
        *("svg", "g", "defs", "clipPath", "use", "image", "text", "tspan"),
        *("path", "rect", "line", "polyline", "polygon", "circle", "ellipse"),
    }
)
ATTRIBUTES = frozenset(
    {
        *("id", "d", "x", "y", "width", "height", "transform", "viewBox", "points", "clip-path"),
        *("cx", "cy", "r", "rx", "ry", "x1", "y1", "x2", "y2", "preserveAspectRatio"),
    }
)
STYLES = frozenset(
    {
        *(
            "fill",
            "stroke",
            "stroke-width",
            "stroke-linecap",
            "stroke-linejoin",
            "stroke-dasharray",
        ),
        *("opacity", "fill-opacity", "stroke-opacity", "font-size", "font-style", "text-anchor"),
        "image-rendering",
    }
)
SCALE = 1.5
"""CSS pixels of a point: matplotlib's small print in the size of this page's."""
MAX_SIZE = 100_000
"""Points: a page of forty metres."""

_NAMESPACE = re.compile(r"\{[^}]*\}")
_VALUE = re.compile(r"[#\w.,%() -]*")
_REFERENCE = re.compile(r"url\(#([\w.-]+)\)")
_PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=]+")
_DECIMALS = re.compile(r"(?<!\d)(\d+\.\d\d)\d+")
"""The look behind keeps a long run of digits from being tried from each of them."""
_COLOURS = {"#000000": "currentColor", "#ebebeb": "var(--rule)"}
"""What stands for the page's own colours: text and axes, the lines between cells."""
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class HeatMapDrawing:
    """An SVG to put into the page, or the address of a picture that holds its own data."""

    svg: Markup | None = None
    picture: str | None = None


def read_heat_map(path: Path, prefix: str) -> HeatMapDrawing:
    """The drawing in a file.

    Args:
        prefix: what names inside the drawing begin with, different for every drawing of a page.

    Raises:
        InputError: it is missing, larger than `MAX_BYTES`, or neither SVG nor PNG.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except NOT_A_FILE:
        raise no_file(path) from None
    if len(data) > MAX_BYTES:
        raise InputError(f"expected a drawing of at most {MAX_BYTES:,} bytes", path=path)
    if data.startswith(_PNG):
        encoded = base64.b64encode(data).decode("ascii")
        return HeatMapDrawing(picture=f"data:image/png;base64,{encoded}")
    return HeatMapDrawing(svg=clean_svg(data, prefix, path))


def clean_svg(data: bytes, prefix: str, path: Path) -> Markup:
    """An SVG of what draws in `data`, to stand inside HTML.

    Raises:
        InputError: it is not SVG with a `viewBox`, in UTF-8, or nested too deeply.
    """
    root = _parsed(data, path)
    if _tag(root) != "svg":
        raise InputError(f"expected SVG, found an element {_tag(root)}", path=path)
    width, height = _size(root, path)
    _check_depth(root, path)
    cleaned = _clean(root, prefix)
    assert cleaned is not None
    _drop_unused_names(cleaned)
    cleaned.set("width", f"{SCALE * width:.0f}")
    cleaned.set("height", f"{SCALE * height:.0f}")
    cleaned.set("aria-hidden", "true")
    return Markup(ElementTree.tostring(cleaned, encoding="unicode"))


def _parsed(data: bytes, path: Path) -> Element:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf_8(error, path=path) from None
    if "<!ENTITY" in text:
        raise InputError("expected SVG without entities of its own", path=path)
    try:
        return ElementTree.fromstring(text)  # as text: no other encoding that it names is tried
    except ElementTree.ParseError as error:
        raise InputError(
            f"expected SVG: {error.msg.split(':')[0]}", path=path, line=error.position[0]
        ) from None


def _size(root: Element, path: Path) -> tuple[float, float]:
    """Width and height of the `viewBox`."""
    try:
        x, y, width, height = (float(number) for number in root.get("viewBox", "").split())
    except ValueError:
        x = y = width = height = math.nan
    if not all(abs(number) <= MAX_SIZE for number in (x, y, width, height)):
        raise InputError(
            f"expected SVG with a viewBox of four numbers, each at most {MAX_SIZE:,}", path=path
        )
    return width, height


def _check_depth(root: Element, path: Path) -> None:
    level = [root]
    for _ in range(MAX_DEPTH):
        level = [child for element in level for child in element]
        if not level:
            return
    raise InputError(f"expected SVG of at most {MAX_DEPTH} levels of elements", path=path)


def _clean(element: Element, prefix: str) -> Element | None:
    """A copy of what draws, or `None` if nothing does."""
    tag = _tag(element)
    if tag not in ELEMENTS:
        return None
    copy = Element(tag)
    for name, value in element.attrib.items():
        kept = _attribute(tag, _NAMESPACE.sub("", name), value, prefix)
        if kept is not None:
            copy.set(*kept)
    if tag in ("text", "tspan"):
        copy.text = element.text
        if tag == "tspan":
            copy.tail = element.tail
    for child in element:
        cleaned = _clean(child, prefix)
        if cleaned is not None:
            # A group that says nothing of its own is as good as what is in it.
            copy.extend(list(cleaned) if cleaned.tag == "g" and not cleaned.attrib else [cleaned])
    is_ground = tag == "path" and copy.get("style") == "fill: #ffffff"
    is_empty = tag in ("g", "defs") and not len(copy)
    return None if is_ground or is_empty else copy


def _attribute(tag: str, name: str, value: str, prefix: str) -> tuple[str, str] | None:
    """An attribute as it may stay; `None` if it may not."""
    if name == "href":
        target = re.sub(r"\s", "", value)
        if tag == "image" and _PICTURE.fullmatch(target):
            return "href", target
        return ("href", f"#{prefix}{target[1:]}") if tag == "use" and target[:1] == "#" else None
    if name == "style":
        style = _style(value)
        return ("style", style) if style else None
    if name not in ATTRIBUTES:
        return None
    if name == "id":
        return ("id", prefix + value) if tag in ("clipPath", *_MARKERS) else None
    if name == "clip-path":
        reference = _REFERENCE.fullmatch(value)
        return ("clip-path", f"url(#{prefix}{reference[1]})") if reference else None
    return name, _DECIMALS.sub(r"\1", " ".join(value.split()))


_MARKERS = ("path", "rect", "line", "circle")
"""What `use` repeats: the small lines at an axis."""


def _drop_unused_names(root: Element) -> None:
    """Take away the names that nothing refers to."""
    used = set()
    for element in root.iter():
        used.add(element.get("href", "")[1:])
        used.update(_REFERENCE.findall(element.get("clip-path", "")))
    for element in root.iter():
        if "id" in element.attrib and element.attrib["id"] not in used:
            del element.attrib["id"]


def _style(text: str) -> str:
    """The declarations that draw, in the page's colours where there are such."""
    kept = []
    for declaration in text.split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name in STYLES and _VALUE.fullmatch(value) and "url" not in value:
            kept.append(f"{name}: {_COLOURS.get(value, value)}")
    return "; ".join(kept)


def _tag(element: Element) -> str:
    # A comment or a processing instruction has a function where others have their name.
    return _NAMESPACE.sub("", element.tag) if isinstance(element.tag, str) else ""
