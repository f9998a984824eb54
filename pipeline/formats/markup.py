"""Corpora in markup: translation memories (TMX), test sets in WMT's SGML and XML."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import chain
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


Segments = dict[tuple[str, str], str]
"""Segments by document and number, as the file has them; else by place."""


class Text(NamedTuple):
    """A side of a test set: source, or a reference, in a language if known."""

    kind: str
    language: str
    segments: Segments

    def add(self, document: str, number: str | None, segment: str) -> str | None:
        """Add a segment; an error is returned if it is there already."""
        key = document, number or str(len(self.segments) + 1)
        if key in self.segments:
            return f"segment {number} of document {document or 1} is there twice"
        self.segments[key] = segment.strip()
        return None


class _SgmlReader(HTMLParser):
    """Gathers the texts of WMT's and NIST's SGML, whose tags are in any case."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: dict[tuple[int, str], Text] = {}
        self._path = path
        self._set = 0, "", ""
        self._text = Text("", "", {})
        self._document = ""
        self._number: str | None = None
        self._segment: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = dict(attrs)
        if tag in _SETS:
            self._set = self._set[0] + 1, tag, about.get(_SETS[tag]) or ""
            self._use(about.get("refid") or about.get("sysid") or "")
        elif tag == "doc":
            self._use("" if self._set[1] == "srcset" else about.get("sysid") or "")
            self._document = about.get("docid") or str(len(self._text.segments))
        elif tag == "seg":
            self._segment, self._number = [], about.get("id")
        elif self._segment is not None:
            self._segment.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "seg" and self._segment is not None:
            if error := self._text.add(self._document, self._number, "".join(self._segment)):
                raise InputError(error, path=self._path, line=self.getpos()[0])
            self._segment = None
        elif self._segment is not None:
            self._segment.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._segment is not None:
            self._segment.append(data)

    def _use(self, name: str) -> None:
        number, kind, language = self._set
        text = Text("source" if kind == "srcset" else "target", language, {})
        self._text, self._document = self.texts.setdefault((number, name), text), ""


def _sgml_texts(path: Path) -> list[Text]:
    reader = _SgmlReader(path)
    for line in read_lines(path):
        reader.feed(f"{line}\n")
    reader.close()
    return [text for text in reader.texts.values() if text.segments]


def _xml_texts(path: Path) -> list[Text]:
    texts: dict[tuple[str, str, str], Text] = {}
    for place, document in enumerate(_elements(path, "doc"), start=1):
        for part in document:
            if part.tag in ("src", "ref"):
                kind = "source" if part.tag == "src" else "target"
                about = kind, part.get("lang", ""), part.get("translator", "")
                text = texts.setdefault(about, Text(*about[:2], {}))
                name = document.get("id") or str(place)
                for number, segment in enumerate(part.iter("seg"), start=1):
                    key = segment.get("id") or str(number)
                    if error := text.add(name, key, "".join(segment.itertext())):
                        raise InputError(error, path=path)
    return [*texts.values()]


def test_set_segments(
    path: Path, language: str, side: str, *, is_sgml: bool
) -> dict[tuple[str, str], list[str]]:
    """The segments of a test set in the language, or else of the side: texts of each.

    Several are references. An `InputError` is raised if there is none.
    """
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
    return {
        key: [text.segments[key] for text in chosen if key in text.segments]
        for key in dict.fromkeys(chain.from_iterable(text.segments for text in chosen))
    }


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
