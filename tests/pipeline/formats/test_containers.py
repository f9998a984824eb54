"""Both sides of a corpus out of the formats that public corpora have."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow.parquet import write_table

from mgsa.cli.errors import InputError
from pipeline.formats.containers import read_column, references_in

PAIRS = [("A man sleeps.", "Ein Mann schläft."), ("AT&T <b>said</b>", 'Sie „sagten" 2 < 3')]


def read(path: Path, source: str = "en", target: str = "de", **options: Any) -> list[list[str]]:
    """The sentences of source and target."""
    sides = [
        read_column(path, language=source, other=target, side="source", **options),
        read_column(path, language=target, other=source, side="target", **options),
    ]
    return [*map(list, sides)]


def columns(pairs: Sequence[tuple[str, str]]) -> list[list[str]]:
    return [[source for source, _ in pairs], [target for _, target in pairs]]


def unit(*variants: tuple[str, str]) -> str:
    return f"<tu>{''.join(f'<tuv xml:lang={c!r}><seg>{t}</seg></tuv>' for c, t in variants)}</tu>\n"


def tmx(units: str) -> str:
    return f'<?xml version="1.0"?>\n<tmx version="1.4"><header/>\n<body>\n{units}</body></tmx>\n'


TEXTS = st.lists(
    st.tuples(*[st.text(st.characters(categories=["L", "P", "S", "Zs"]), min_size=1)] * 2),
    min_size=1,
)


@given(TEXTS)
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("corpus") / "any.name"
    path.write_text(
        tmx("".join(unit(("en", escape(s)), ("de", escape(t))) for s, t in pairs)), "utf-8"
    )
    assert read(path) == columns(pairs)
    path.write_text("".join(json.dumps({"de": t, "en": s}) + "\n" for s, t in pairs), "utf-8")
    assert read(path) == columns(pairs)
    write_table(pa.table({"translation": [{"de": t, "en": s} for s, t in pairs]}), path)
    assert read(path) == columns(pairs)
    text = "".join(f"{s}\t{t}\n" for s, t in [("en", "de"), *pairs])
    path.write_bytes(gzip.compress(text.encode()))
    assert read(path) == [[text.strip() for text in side] for side in columns(pairs)]


def test_units_of_a_translation_memory(tmp_path: Path) -> None:
    """Those without a language of the pair are left out; inline codes are no text."""
    path = tmp_path / "t"
    path.write_text(
        tmx(
            unit(("en-GB", "A <hi>man</hi><ph>&lt;br&gt;</ph> sleeps\n  now."), ("DE", "Ein Mann."))
            + unit(("en", "Left out."), ("fr", "Omis."))
            + unit(("fr", "Omis."), ("en", "R&amp;D"), ("de", ""), ("de", "second"))
        )
    )
    assert read(path) == [["A man sleeps now.", "R&D"], ["Ein Mann.", ""]]
    path.write_bytes(path.read_text("utf-8").replace("UTF-8", "UTF-16").encode("utf-16"))
    assert read(path, "fr", "en") == [["Omis.", "Omis."], ["Left out.", "R&D"]]
    with pytest.raises(
        InputError, match=r"t: expected text in de and es, found DE, de, en, en-GB, fr"
    ):
        read(path, "de", "es")
    path.write_text(tmx(unit(("en", "a & b"), ("de", "c"))))
    with pytest.raises(InputError, match=r"t:4: expected XML: not well-formed"):
        read(path)


@pytest.mark.parametrize(
    ("text", "options", "found"),
    [
        ("a\tb\nc\t\n", {}, [["a", "c"], ["b", ""]]),
        ("a ||| b\nc ||| d\n", {}, [["a", "c"], ["b", "d"]]),
        ("id\tde_AT\ten\n1\tb\ta\n", {}, [["a"], ["b"]]),
        ("1\ta\tb\n2\tc\td\n", {"columns": (2, 2)}, [["a", "c"]] * 2),
        ("x\ty\na\tb\n", {"columns": ("y", "y")}, [["b"]] * 2),
        ("target\tsource\na\tb\n\n", {}, [["b"], ["a"]]),
        ("Tgt\tSrc\na\tb\n", {}, [["b"], ["a"]]),
        ("German\tenglish\tid\na\tb\t1\n", {}, [["b"], ["a"]]),
        ("text_en\tid\ttext_de\na\t1\tb\n", {}, [["a"], ["b"]]),
        ("it\tes\na\tb\n", {"columns": (2, 2)}, [["b"], ["b"]]),
        ("No\tno\na\tb\n", {}, [["No", "a"], ["no", "b"]]),
        ('"He ""can""."\t"Er" kann.\n', {}, [['He "can".'], ['"Er" kann.']]),
        ('"""Go!"""\t"Los!"\nGo.\tLos.\n', {}, [['"Go!"', "Go."], ['"Los!"', "Los."]]),
        ('"en"\t"de"\n"a"\t"b"\n', {}, [["a"], ["b"]]),
        ('{"target": "a", "source": "b"}\n', {}, [["b"], ["a"]]),
        ('{"German": "a", "src": "b"}\n', {}, [["b"], ["a"]]),
    ],
)
def test_columns_of_tables(
    tmp_path: Path, text: str, options: dict[str, Any], found: list[list[str]]
) -> None:
    (tmp_path / "t").write_text(text)
    assert read(tmp_path / "t", **options) == found


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (
            "a\tb\tc\n",
            None,
            "t:1: expected text in en, found 1, 2, 3; `columns` may choose others",
        ),
        ("a\tb\n", 3, "t:1: expected column 3, found 1, 2; `columns`"),
        ("a\tb\n", "x", "t:1: expected column x, found 1, 2; `columns`"),
        ("a\tb\nc\td\ne\n", None, "t:3: expected 2 columns as in the first line, found 1"),
        ("a b\n", 1, "t: expected a table with column 1, found text"),
        ('{"en": "a"}\n{"de": "b"}\n', None, "t:2: expected text in en, found de"),
        ('{"en": "a"}\n{"en": \n', None, "t:2: expected a JSON object a line: Expecting value"),
        ('{"x": {"y": 1}}\n', "x.y", "t:1: expected column x.y, found 1; `columns`"),
        ('{"x": 1}\n', "x.y", 't:1: expected column x.y, found {"x": 1}; `columns`'),
        ('{"en": null, "de": "a"}\n', None, "t:1: expected text in en, found null; `columns`"),
        ("it\tes\na\tb\n", None, "t:2: expected text in en, found 1, 2, it, es; `columns`"),
        ("de\ten\ten\na\tb\tc\n", "en", "t:2: expected column en, found 1, 2, 3, de; `columns`"),
        ("Italian\tSpanish\na\tb\n", None, "t:2: expected text in en, found 1, 2, Italian"),
        ("<html>\n<p>a</p>\n", None, "t:1: expected text, a line for each sentence, found markup"),
    ],
)
def test_what_is_not_found_is_named(
    tmp_path: Path, text: str, column: str | int | None, message: str
) -> None:
    (tmp_path / "t").write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        read(tmp_path / "t", columns=(column, column))


NAMED = "id\ten\tDeutsch\n1\tA dog.\tEin Hund.\n"


def test_names_of_either_side_make_a_header(tmp_path: Path) -> None:
    (tmp_path / "t").write_text(NAMED)
    for source, target in (("en", 3), (2, "Deutsch"), ("en", "Deutsch")):
        names = {"source": (source, target), "target": (target, source)}
        found = [
            [*read_column(tmp_path / "t", language=a, other=b, side=side, columns=names[side])]
            for side, a, b in (("source", "en", "de"), ("target", "de", "en"))
        ]
        assert found == [["A dog."], ["Ein Hund."]]


@pytest.mark.parametrize("column", [None, 2])
def test_a_line_that_may_be_a_header_is_refused(tmp_path: Path, column: int | None) -> None:
    (tmp_path / "t").write_text(NAMED)
    with pytest.raises(InputError, match="t:1: expected text, or a name for both languages, found"):
        read(tmp_path / "t", columns=(column, column))


def test_columns_of_json(tmp_path: Path) -> None:
    (tmp_path / "t").write_text('\n{"a": {"en": "x"}, "b": "y"}\n')
    assert read(tmp_path / "t", columns=("a.en", "a.en")) == [["x"]] * 2
    assert read(tmp_path / "t", columns=("b", "b")) == [["y"]] * 2


def sgml(kind: str, languages: str, documents: Sequence[tuple[str, Sequence[str]]]) -> str:
    text = "".join(
        f'<DOC docid="1" sysid="{name}">\n<p>\n'
        + "".join(f"<seg id={n}> {segment} </seg>\n" for n, segment in enumerate(segments))
        + "</p>\n</DOC>\n"
        for name, segments in documents
    )
    return f"<{kind} setid='x' {languages}>\n{text}</{kind}>\n"


SEGMENTS = ["AT&amp;T said &quot;no&quot;", "It is &lt; 3\n> <b>2</b>.", ""]
DECODED = ['AT&T said "no"', "It is < 3 > <b>2</b>.", ""]


@pytest.mark.parametrize(
    "languages", ['srclang="en" trglang="de"', 'srclang="any" trglang="de"', 'SrcLang="English"']
)
def test_test_sets_in_sgml(tmp_path: Path, languages: str) -> None:
    """A file of a set, or of source and references; NIST names languages in words."""
    source = sgml("srcset", languages, [("", SEGMENTS)])
    references = sgml("REFSET", languages, [("r1", SEGMENTS), ("r2", ["b", "c", "d"])])
    (tmp_path / "s").write_text(source)
    (tmp_path / "r").write_text(references)
    (tmp_path / "both").write_text(f"<!DOCTYPE mteval>\n<mteval>\n{source}{references}</mteval>")
    assert read(tmp_path / "both") == [DECODED, DECODED]
    english = read_column(tmp_path / "s", language="en", other="de", side="source")
    assert list(english) == DECODED
    for name in ("r", "both"):
        path = tmp_path / name
        assert references_in(path, "de") == 2
        second = read_column(path, language="de", other="en", side="target", reference=2)
        assert list(second) == ["b", "c", "d"]


def xml(*documents: str) -> str:
    return f'<?xml version="1.0"?>\n<dataset id="x">\n{"".join(documents)}</dataset>\n'


def document(number: int, *texts: tuple[str, str]) -> str:
    parts = "".join(f"<{kind}><p><seg>{text}</seg></p></{kind[:3]}>" for kind, text in texts)
    return f'<doc id="d{number}">{parts}</doc>\n'


def test_test_sets_in_xml(tmp_path: Path) -> None:
    path = tmp_path / "t"
    kinds = ['src lang="en"', 'ref lang="de" translator="A"', 'ref lang="de" translator="B"']
    texts = [document(n, *[(kind, f"{kind[:3]} {n} &amp;") for kind in kinds]) for n in (1, 2)]
    path.write_text(xml(*texts, document(3, *[(kind, "x") for kind in (*kinds, 'hyp lang="de"')])))
    assert read(path) == [["src 1 &", "src 2 &", "x"], ["ref 1 &", "ref 2 &", "x"]]
    assert read(path, "de", "en")[1] == ["src 1 &", "src 2 &", "x"]
    assert (references_in(path, "de"), references_in(path, "en")) == (2, 1)
    with pytest.raises(InputError, match="t: expected text in fr, found de, en"):
        read(path, "fr", "de")
    path.write_text(xml(texts[0], document(2, (kinds[0], "x"), (kinds[2], "y"))))
    assert read(path) == [["src 1 &", "x"], ["ref 1 &", "y"]]
    assert [*read_column(path, language="de", other="en", side="target", reference=2)] == [
        "ref 1 &",
        "",
    ]


def of_ids(kind: str, *documents: tuple[str, Mapping[int, str]]) -> str:
    text = "".join(
        f"<doc docid={name}>{''.join(f'<seg id={n}>{one}</seg>' for n, one in segments.items())}"
        "</doc>\n"
        for name, segments in documents
    )
    return f"<{kind} srclang=en trglang=de>\n{text}</{kind}>\n"


SOURCE = of_ids("srcset", ("a", {1: "a1", 2: "a2"}), ("b", {1: "b1"}))


@pytest.mark.parametrize(
    "documents",
    [
        [("a", {1: "A1", 2: "A2"}), ("b", {1: "B1"})],
        [("b", {1: "B1"}), ("a", {2: "A2", 1: "A1"})],
    ],
)
def test_segments_are_paired_by_document_and_number(
    tmp_path: Path, documents: list[tuple[str, dict[int, str]]]
) -> None:
    source, target = tmp_path / "s", tmp_path / "t"
    for text, path in ((SOURCE, source), (of_ids("refset", *documents), target)):
        path.write_text(text)
    found = read_column(target, language="de", other="en", side="target", source=source)
    assert [*found] == ["A1", "A2", "B1"]


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([("a", {1: "A1", 2: "A2"})], "t: expected segment 1 of document 'b', as in "),
        ([("a", {1: "A", 2: "A", 3: "A"}), ("b", {1: "B"})], "t: found segment 3 of document 'a'"),
        ([("a", {1: "A"}), ("a", {1: "B"})], "t:3: segment 1 of document a is there twice"),
    ],
)
def test_segments_without_a_partner_are_named(
    tmp_path: Path, documents: list[tuple[str, dict[int, str]]], message: str
) -> None:
    source, target = tmp_path / "s", tmp_path / "t"
    source.write_text(SOURCE)
    for path, before in ((target, ""), (source, SOURCE)):  # in a file of its own, or in one
        path.write_text(before + of_ids("refset", *documents))
        if before:
            message = message.replace("t:", "s:", 1).replace("s:3", "s:7")
        with pytest.raises(InputError, match=re.escape(message)):
            [*read_column(path, language="de", other="en", side="target", source=source)]
