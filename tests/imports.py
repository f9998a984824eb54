"""Which files of this project a module needs, read from its source."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]


def needed_files(start: Path) -> set[Path]:
    """`start` and every project file that it imports, directly or not, relative to the root.

    Imports inside functions count, those for type checkers don't. What `mgsa.load` imports lazily
    does not count for a module that merely lies in the package.
    """
    needed: set[Path] = set()
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path in needed:
            continue
        needed.add(path)
        waiting += [file for name in _imports(ROOT / path) for file in _files(name)]
        waiting += [package for package in _packages(path) if package not in needed]
    return needed


def _packages(path: Path) -> list[Path]:
    return [
        folder / "__init__.py"
        for folder in path.parents
        if (ROOT / folder / "__init__.py").is_file()
    ]


def _imports(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(tree.body) if path.name == "__init__.py" else list(ast.walk(tree))
    for_type_checkers = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    names: list[str] = []
    for node in nodes:
        if id(node) in for_type_checkers:
            continue
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


def _files(module: str) -> list[Path]:
    if module.split(".", maxsplit=1)[0] not in ("mgsa", "pipeline"):
        return []
    stem = Path(*module.split("."))
    return [
        file for file in (stem.with_suffix(".py"), stem / "__init__.py") if (ROOT / file).is_file()
    ]
