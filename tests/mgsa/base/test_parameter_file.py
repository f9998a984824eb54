"""Parameters as YAML: read plainly; what is no such file is one line, and soon."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mgsa.base.errors import InputError
from mgsa.base.settings import MAX_BYTES, MAX_VALUES, apply_overrides, read_yaml
from tests.mutations import mutated_text, refusal


@pytest.mark.parametrize(
    ("overrides", "changed"),
    [
        ([], {"a": 1, "b": {"c": 2}}),
        (["a=2"], {"a": 2, "b": {"c": 2}}),
        (["a=2", "a=3"], {"a": 3, "b": {"c": 2}}),
        (["b.c=null"], {"a": 1, "b": {"c": None}}),
        (["b.d=[1, x]"], {"a": 1, "b": {"c": 2, "d": [1, "x"]}}),
        (["a=x=y"], {"a": "x=y", "b": {"c": 2}}),
        (["a="], {"a": None, "b": {"c": 2}}),
    ],
)
def test_overrides_are_put_in(overrides: list[str], changed: dict[str, Any]) -> None:
    values = {"a": 1, "b": {"c": 2}}
    assert apply_overrides(values, overrides) == changed
    assert values == {"a": 1, "b": {"c": 2}}


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("a", "--set a: expected key=value"),
        ("=1", "--set =1: expected key=value"),
        ("a=[1", "--set a=[1: the value is not YAML"),
        ("a.b=1", "--set a.b=1: a is not a section"),
        ("x.b=1", "--set x.b=1: x is not a section"),
    ],
)
def test_malformed_overrides_are_named(override: str, message: str) -> None:
    with pytest.raises(InputError, match="^" + re.escape(message) + "$"):
        apply_overrides({"a": 1}, [override])


def test_yaml_is_read(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("größe: {a: 1}\n", encoding="utf-8")
    assert read_yaml(tmp_path / "p.yaml") == {"größe": {"a": 1}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"p\.yaml: expected a mapping of sections, found nothing$"),
        (b"- a\n", r"p\.yaml: expected a mapping of sections, found list$"),
        (b"a: 1\nb: [1\n", r"p\.yaml:3: expected YAML: "),
        (b"a: \xff\n", r"p\.yaml:1: expected UTF-8 text: invalid start byte at byte 4$"),
        (b"a: !!python/object/apply:os.getcwd []\n", r"p\.yaml:1: expected YAML: could not deter"),
        (b"a: 2020-02-02\n", r"p\.yaml: expected text, numbers, lists and sections, found a date$"),
        (b"a: 2020-13-02\n", r"p\.yaml: expected YAML: month must be in 1\.\.12$"),
        (b"a: !!set {b, c}\n", "expected text, numbers, lists and sections, found a set$"),
        (b"a: !!binary aGVsbG8=\n", "expected text, numbers, lists and sections, found a bytes$"),
        (b"? 2020-02-02\n: b\n", "expected text, numbers, lists and sections, found a date$"),
        (b"? [a]\n: b\n", r"p\.yaml:1: expected YAML: found unhashable key$"),
        (b"a: !!int ''\n", r"p\.yaml: expected YAML: string index out of range$"),
        (b"a: " + b"9" * 5000, r"p\.yaml: expected YAML: Exceeds the limit \(4300 digits\)"),
        (b"a: 1" + b":59" * 500 + b".5", r"p\.yaml: expected YAML: int too large to convert"),
        (b'a: "\\ud800"\n', r"p\.yaml: expected text, found half of a character: '\\ud800'$"),
        (b'a: "\\0"\n', r"p\.yaml: expected text, found a character 0$"),
        (b"a: " + b"[" * 60, r"p\.yaml:1: expected YAML of at most 50 levels$"),
        (b"a: " + b"[" * 60_000, r"p\.yaml:1: expected YAML of at most 50 levels$"),
        (b"a: " + b" " * MAX_BYTES, r"p\.yaml: expected YAML of at most 65,536 bytes$"),
        (b"a: [" + b"1, " * MAX_VALUES + b"]", r"p\.yaml:1: expected at most 10,000 values$"),
        (b"a: &a\n  - *a\n", r"p\.yaml:2: expected a value before its alias \*a$"),
        (b"a:\n  b: 1\n  c: 2\n  b: 3\n", r"p\.yaml:4: expected each key once, found 'b' again$"),
        (b"a: *b\n", r"p\.yaml:1: expected a value before its alias \*b$"),
    ],
)
def test_malformed_yaml_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "p.yaml").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_yaml(tmp_path / "p.yaml")


def test_a_missing_parameter_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"p\.yaml: no such file$"):
        read_yaml(tmp_path / "p.yaml")


@pytest.mark.parametrize(
    "line", ["a{n}: &a{n} [*a{m}, *a{m}]", "a{n}: &a{n} {{<<: [*a{m}, *a{m}]}}"]
)
def test_a_billion_laughs_are_not_written_out(tmp_path: Path, line: str) -> None:
    """Each line holds the one before it twice: fifty lines, a quadrillion values."""
    lines = ["a0: &a0 {lol: 1}", *(line.format(n=n, m=n - 1) for n in range(1, 50))]
    (tmp_path / "p.yaml").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match=r"p\.yaml:1[0-9]: expected at most 10,000 values$"):
        read_yaml(tmp_path / "p.yaml")


def test_aliases_do_not_add_up_to_depth(tmp_path: Path) -> None:
    """Each line holds the one before it ten levels down."""
    lines = ["a0: &a0 [1]"]
    lines += [f"a{n}: &a{n} {'[' * 10}*a{n - 1}{']' * 10}" for n in range(1, 10)]
    (tmp_path / "p.yaml").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match=r"p\.yaml:6: expected YAML of at most 50 levels$"):
        read_yaml(tmp_path / "p.yaml")


def test_a_value_may_have_a_name(tmp_path: Path) -> None:
    """PyYAML itself names what stands in two places."""
    (tmp_path / "p.yaml").write_text("a: &x {b: 1}\nc: *x\nd: {<<: *x, e: &y 2}\nf: *y\n")
    expected = {"a": {"b": 1}, "c": {"b": 1}, "d": {"b": 1, "e": 2}, "f": 2}
    assert read_yaml(tmp_path / "p.yaml") == expected


WORDS = ("&a", "*a", "!!int", "!!float", "!!set", "<<", "? ", ": ", "- ", "[", "]", "{", "}", "| ")
DATA = ("2020-02-02", "0x", "1:60", ".inf", "~", "%YAML", "---", "'", '"', "\\", "\n", "\n  ")
PIECES = st.sampled_from((*WORDS, *DATA))
DOCUMENT = "a: {b: [1, 2.5, null]}\nc: &x yes\nd: *x\n"


@given(text=st.one_of(mutated_text(DOCUMENT, PIECES), st.text()))
def test_whatever_a_file_holds(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "p.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    said = refusal(lambda: read_yaml(path))
    assert said is None or said.startswith(f"{path}:")
