"""Corpora in markup: translation memories (TMX), test sets in WMT's SGML and XML."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_read, read_lines
from mgsa.cli.languages import known_language, matching_code

_XML_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_TMX_CODES = frozenset(("bpt", "ept", "it", "ph", "ut"))
"""Elements of a segment that hold native codes, not text."""
_SETS = {"srcset": "srclang", "refset": "trglang", "tstset": "trglang"}


class Text(NamedTuple):
    """A side of a test set: source, or a reference, in a language if known; its segments."""

    kind: str
    language: str
    name: str
    segments: list[str]


class _SgmlReader(HTMLParser):
    """Gathers the texts of WMT's and NIST's SGML, whose tags are in any case."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: dict[tuple[int, str], Text] = {}
        self._set = 0, "", ""
        self._document: list[str] = []
        self._segment: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = {name: value or "" for name, value in attrs}
        if tag in _SETS:
            language = about.get(_SETS[tag], "")
            self._set = self._set[0] + 1, tag, language
            self._use(about.get("refid") or about.get("sysid") or "")
        elif tag == "doc":
            self._use("" if self._set[1] == "srcset" else about.get("sysid", ""))
        elif tag == "seg":
            self._segment = []
        elif self._segment is not None:
            self._segment.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "seg" and self._segment is not None:
            self._document.append("".join(self._segment).strip())
            self._segment = None
        elif self._segment is not None:
            self._segment.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._segment is not None:
            self._segment.append(data)

    def _use(self, name: str) -> None:
        number, kind, language = self._set
        text = Text("source" if kind == "srcset" else "target", language, name, [])
        self._document = self.texts.setdefault((number, name), text).segments


def _sgml_texts(path: Path) -> list[Text]:
    reader = _SgmlReader()
    for line in read_lines(path):
        reader.feed(f"{line}\n")
    reader.close()
    return [text for text in reader.texts.values() if text.segments]


def _xml_texts(path: Path) -> list[Text]:
    """The texts of WMT's XML, whose documents all have the same."""
    texts: dict[tuple[str, str, str], Text] = {}
    for document in _elements(path, "doc"):
        found: dict[tuple[str, str, str], list[str]] = {}
        for part in document:
            if part.tag in ("src", "ref"):
                kind = "source" if part.tag == "src" else "target"
                about = kind, part.get("lang", ""), part.get("translator", "")
                found[about] = ["".join(segment.itertext()) for segment in part.iter("seg")]
        if texts and found.keys() != texts.keys():
            expected = ", ".join(" ".join(filter(None, key)) for key in texts)
            message = f"document {document.get('id')}: expected the texts of the first: {expected}"
            raise InputError(message, path=path)
        for about, segments in found.items():
            texts.setdefault(about, Text(*about, [])).segments.extend(segments)
    return [*texts.values()]


def test_set_texts(path: Path, language: str, side: str, *, is_sgml: bool) -> list[Text]:
    """The texts of a test set in the language, or else of the side: one, or the references."""
    texts = _sgml_texts(path) if is_sgml else _xml_texts(path)
    code = matching_code([text.language for text in texts], language)
    chosen = [text for text in texts if code and text.language == code]
    if not chosen:
        unknown = [text for text in texts if not known_language(text.language)]
        chosen = [text for text in unknown if text.kind == side]
        # A file of one text may be either side's.
        chosen = chosen or (unknown if len(unknown) == len(texts) else [])
    if not chosen:
        found = ", ".join(sorted({text.language for text in texts} - {""})) or "none"
        raise InputError(f"expected text in {language}, found {found}", path=path)
    return chosen


def _elements(path: Path, tag: str) -> Iterator[Any]:
    """Yield the elements of an XML file with a tag, and forget them."""
    above: list[Any] = []
    with open_to_read(path) as file:
        try:
            for event, element in ElementTree.iterparse(file, ("start", "end")):
                if event == "start":
                    above.append(element)
                    continue
                above.pop()
                if element.tag == tag:
                    yield element
                    if above:
                        above[-1].remove(element)
        except ElementTree.ParseError as error:
            message = f"expected XML: {error.msg.partition(':')[0]}"
            raise InputError(message, path=path, line=error.position[0]) from None


def tmx_segments(path: Path, language: str, other: str) -> Iterator[str]:
    """Units that lack a language of the pair are left out."""
    found: set[str] = set()
    both = False
    for unit in _elements(path, "tu"):
        texts: dict[str, str] = {}
        for variant in unit.iter("tuv"):
            segment = variant.find("seg")
            code = variant.get(_XML_LANGUAGE) or variant.get("lang", "")
            texts.setdefault(code, "" if segment is None else "".join(_tmx_text(segment)))
        keys = [matching_code(texts, one) for one in (language, other)]
        found |= {*texts}
        if keys[0] is not None and keys[1] is not None:
            both = True
            yield texts[keys[0]]
    if not both:
        names = ", ".join(sorted(found - {""})) or "none"
        raise InputError(f"expected text in {language} and {other}, found {names}", path=path)


def _tmx_text(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag not in _TMX_CODES:
            yield from _tmx_text(child)
        yield child.tail or ""
