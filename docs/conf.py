"""The documentation site: `make docs`. What can be read from the code is generated from it."""

from __future__ import annotations

import contextlib
import io
import sys
from importlib import import_module
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

project = "mgsa"
author = "The mgsa developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "mgsa"
html_show_copyright = False
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
default_role = "code"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
napoleon_use_ivar = True
suppress_warnings = ["myst.header", "ref.python"]  # short names that several modules have

COMMANDS = ("train", "translate", "align", "score")
"""Of `mgsa`."""
TOOLS = (
    "translate",
    "dataset.reverse",
    "forced_align",
    "score",
    "align.error_rate",
    "experiment",
    "explore",
)
"""Of `pipeline`, which are no stages of `dvc.yaml`."""


def help_of(module: str, argv: list[str]) -> str:
    """What a command says of itself."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        import_module(module).main([*argv, "--help"])
    return said.getvalue().strip()


def write_stages(path: Path) -> None:
    """Every command with its `--help`."""
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["stages"]
    text = ["# Stages and commands", "", "In the order in which `dvc repro` runs them."]
    for name, stage in stages.items():
        text += ["", f"## {name}", "", f"{stage['desc']}.", ""]
        module = stage["cmd"].split()[2].removeprefix("pipeline.")
        text += ["```text", help_of(module_of(module), []), "```"]
    text += ["", "## Other commands"]
    for name in TOOLS:
        text += ["", f"### pipeline.{name}", "", "```text", help_of(module_of(name), []), "```"]
    for name in COMMANDS:
        text += ["", f"### mgsa {name}", "", "```text", help_of("mgsa.__main__", [name]), "```"]
    path.write_text("\n".join(text) + "\n", "utf-8")


def module_of(name: str) -> str:
    """The module that `python -m pipeline.NAME` runs."""
    package = ROOT.joinpath("pipeline", name, "__main__.py")
    return f"pipeline.{name}.__main__" if package.is_file() else f"pipeline.{name}"


def write_parameters(path: Path) -> None:
    """The files of `conf/`, comments and all."""
    text = ["# Parameters", "", "`params.yaml` is composed of these files, one of each group."]
    for group in ("", "corpus", "parser", "align", "model", "train"):
        for file in sorted((ROOT / "conf" / group).glob("*.yaml")):
            if group == "model" and not file.stem.endswith("tiny"):
                continue  # the same keys with the papers' sizes
            name = f"{group}={file.stem}" if group else "All runs"
            text += ["", f"## {name}", "", "```yaml", file.read_text("utf-8").strip(), "```"]
    path.write_text("\n".join(text) + "\n", "utf-8")


def write_api(path: Path) -> None:
    """The modules of both packages, in reading order."""
    text = ["# Python", ""]
    for package in ("mgsa", "pipeline"):
        for file in sorted((ROOT / package).rglob("*.py")):
            module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            if file.name == "__main__.py":
                continue
            name = module.removesuffix(".__init__")
            text += ["", f"## {name}", "", "```{eval-rst}", f".. automodule:: {name}"]
            if file.name != "__init__.py":
                text += ["   :members:"]
            text += ["```"]
    path.write_text("\n".join(text) + "\n", "utf-8")


REFERENCE = Path(__file__).parent / "reference"
REFERENCE.mkdir(exist_ok=True)
write_stages(REFERENCE / "stages.md")
write_parameters(REFERENCE / "parameters.md")
write_api(REFERENCE / "api.md")


def plain(
    _app: object, what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Module docstrings are literal text; in others a bar is a bar, no substitution."""
    if what == "module":
        lines[:] = ["::", "", *(f"   {line}" for line in lines)]
    else:
        lines[:] = [line.replace("|", "\\|").replace("````", "") for line in lines]


def setup(app: object) -> None:
    """Sphinx's hook."""
    app.connect("autodoc-process-docstring", plain, priority=400)  # type: ignore[attr-defined]
