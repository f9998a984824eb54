"""What is worth enforcing of the layout: true maps, imports in one direction, a quick --help."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import pipeline.__main__ as listing
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


def test_no_file_or_folder_is_a_drawer() -> None:
    drawers = {"utils", "util", "helpers", "common", "misc", "base"}
    names = [Path(path.relative_to(ROOT)).with_suffix("").parts for path in SOURCES]
    assert [parts for parts in names if drawers.intersection(parts)] == []


ABOVE = {"params", "report", "experiment", "explore", "new"}
"""They alone import several stages."""


def imports_of(path: Path) -> set[str]:
    """The modules of the project that a file imports, wherever in it and for whatever reason."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module), names=names):
                parts = [f"{module}.{alias.name}" for alias in names]
                found |= {part if part in MODULES else module for part in parts}
    return found & MODULES.keys() - {module_name(path)}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in SOURCES}


def test_imports_have_no_circles() -> None:
    """Those in functions and those for type checkers included."""
    TopologicalSorter({name: imports_of(path) for name, path in MODULES.items()}).prepare()


def test_rooms_import_no_stage_and_stages_no_other() -> None:
    """But `partition`, whose functions make phrases everywhere."""
    for name, path in MODULES.items():
        package, *rest = name.split(".")
        if package != "pipeline" or not rest or rest[0] in ABOVE:
            continue
        stages = {module.split(".")[1] for module in imports_of(path) if "." in module}
        others = stages & (STAGES.keys() | ABOVE) - {rest[0], "partition"}
        assert not others, f"{name} imports {others}"


def test_a_stage_is_a_file_or_a_package_that_runs_with_settings_of_its_own() -> None:
    for stage in STAGES:
        package = ROOT / "pipeline" / stage
        assert package.with_suffix(".py").is_file() != (package / "__main__.py").is_file(), stage
        for path in package.glob("*.py"):
            settings = re.findall(r"class (\w+Settings)\b", path.read_text("utf-8"))
            assert not settings or path.name == "settings.py", path


def test_no_module_patches_another() -> None:
    """Nor sets an attribute of what it imported; a library's update would break that silently."""
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.asname or alias.name.split(".")[0] for alias in node.names}
                imported |= names
                assert "mock" not in {*names, *str(getattr(node, "module", "")).split(".")}, path
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=targets):
                    changed = targets
                case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                    changed = [target]
                case ast.Call(func=ast.Name(id="setattr"), args=[target, *_]):
                    changed = [ast.Attribute(target, "set")]
                case ast.Call(func=ast.Attribute(attr="__setattr__")):
                    raise AssertionError(f"{path}: {ast.unparse(node)}")
                case _:
                    continue
            for one in changed:
                owner = one.value if isinstance(one, ast.Attribute) else None
                while isinstance(owner, ast.Attribute):
                    owner = owner.value
                patched = isinstance(owner, ast.Name) and owner.id in imported
                patched &= ast.unparse(one) != "sys.unraisablehook"  # made to be set
                assert not patched, f"{path}: {ast.unparse(node)}"


def test_importing_changes_nothing_in_the_process() -> None:
    """Switches are set by commands and by `load`."""
    code = (
        "import importlib, os, signal, sys, torch\n"
        "def state(): return (signal.getsignal(signal.SIGINT), torch.get_num_threads(),\n"
        "    torch.backends.cuda.cudnn_sdp_enabled(), sys.getrecursionlimit(),\n"
        "    os.environ.get('OMP_WAIT_POLICY'))\n"
        "import stanza, sacrebleu, nltk, vl_convert, lightning_fabric, hydra\n"
        "before = state()\n"
        f"for name in {sorted(MODULES)!r}:\n"
        "    if not name.endswith('__main__'): importlib.import_module(name)\n"
        "assert state() == before, (before, state())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr


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


def test_the_list_of_commands_is_whole() -> None:
    listed = {f"pipeline.{name}" for name in (*listing.STAGES, *listing.COMMANDS)}
    of_experiments = "pipeline.experiment.parameters"
    run = {name for name in COMMANDS if name.startswith("pipeline.")} - {of_experiments}
    assert listed == run
