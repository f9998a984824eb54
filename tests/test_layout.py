"""What is worth enforcing of the layout: true maps, imports in one direction, a quick --help."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dvc_project import STAGES
from tests.imports import ROOT

PACKAGES = sorted(
    path.parent.relative_to(ROOT)
    for top in ("mgsa", "pipeline")
    for path in (ROOT / top).rglob("__init__.py")
)
SOURCES = sorted(path for top in ("mgsa", "pipeline") for path in (ROOT / top).rglob("*.py"))
COMMANDS = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__")
    for path in SOURCES
    if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_the_map_in_a_package_docstring_lists_its_files(package: Path) -> None:
    docstring = (
        ast.get_docstring(ast.parse((ROOT / package / "__init__.py").read_text("utf-8"))) or ""
    )
    mapped = re.findall(r"^([a-z0-9_]+/?)\s{2,}\S", docstring, flags=re.MULTILINE)
    present = [
        path.stem + ("/" if path.is_dir() else "")
        for path in (ROOT / package).iterdir()
        if (path.suffix == ".py" and path.name != "__init__.py") or (path / "__init__.py").is_file()
    ]
    if package == Path("pipeline"):
        present = [name for name in present if name.rstrip("/") not in STAGES]  # in dvc.yaml
    assert sorted(mapped) == sorted(present)


def test_no_file_is_a_drawer() -> None:
    drawers = {"utils", "util", "helpers", "common", "misc", "base"}
    assert [path for path in SOURCES if path.stem in drawers] == []


def test_nothing_is_unpickled() -> None:
    """stanza's files are, by stanza: what this project reads with torch may hold no code."""
    unpickling = {"pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names=names):
                    assert unpickling.isdisjoint(alias.name for alias in names), path
                case ast.ImportFrom(module=module):
                    assert module not in unpickling, path
                case ast.Call(func=ast.Attribute(value=ast.Name(id=library), attr="load")):
                    options = {option.arg: ast.unparse(option.value) for option in node.keywords}
                    if library == "torch":
                        assert options.get("weights_only") == "True", path
                    assert "allow_pickle" not in options, path


def test_mgsa_reaches_no_text_library() -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in SOURCES
        if path.is_relative_to(ROOT / "mgsa") and path.name not in ("__init__.py", "__main__.py")
    ]
    code = (
        f"import importlib, sys\nfor name in {modules!r}: importlib.import_module(name)\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert loaded & {"pipeline", "stanza", "spacy", "nltk", "dvc", "dvclive", "sacremoses"} == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_imports_nothing_heavy(command: str) -> None:
    code = (
        "import runpy, sys\n"
        f"sys.argv = ['x', '--help']\n"
        f"try: runpy.run_module({command!r}, run_name='__main__', alter_sys=True)\n"
        "except SystemExit as end: assert end.code in (0, None), end.code\n"
        "print('LOADED', *{name.split('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    loaded = set(done.stdout.rsplit("LOADED", 1)[1].split())
    heavy = {"torch", "stanza", "sacremoses", "pyarrow", "numpy", "sacrebleu", "hydra", "nltk"}
    heavy |= {"spacy", "jinja2", "vl_convert", "ray"}
    assert loaded & heavy == set()
    assert "usage" in done.stdout
