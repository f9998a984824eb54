"""A command line from a function's signature.

    def tokenize_corpus(
        tokenize: TokenizeSettings,
        *,
        corpus: Annotated[Path, Input("raw text")],
        out: Annotated[Path, OutputFolder("tokenised text", "tokenised text")],
    ) -> None:
        \"\"\"Normalise, tokenise and clean a parallel corpus.\"\"\"

Positional parameters are sections of the parameter file, read by name; one with a default may be
missing. Keyword-only parameters are options, required unless they have a default;
`Path("{out}.log")` is a default that depends on `--out`. The docstring is the help. Inputs and
outputs go through `mgsa.cli.guard` before the function is called.
"""

import argparse
import inspect
import os
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from mgsa.cli.errors import InputError
from mgsa.cli.files import named_paths
from mgsa.cli.guard import Form, Output, guard
from mgsa.cli.provenance import all_settings, check_kind, check_listed, checked_digests
from mgsa.cli.run import STANDARD_OUTPUT
from mgsa.cli.settings import from_mapping, parse_value, paths_read, sections_of, shown, to_mapping


@dataclass
class Option:
    """An option that is no path. `Literal` types give choices, `bool` makes a flag."""

    help: str
    metavar: str | None = None


class Positional(Option):
    """Arguments without a flag, of a `list` type."""


@dataclass
class Input(Option):
    """A file or folder that is read; of type `dict[str, Path]`, several as `NAME=PATH`.

    Only the `parts` of a folder are read, if there are any; an artifact has its `kind` in its
    manifest.
    """

    metavar: str | None = "DIR"
    parts: Sequence[str] = ("",)
    kind: str = ""


@dataclass
class OutputFile(Option):
    """A new file; a `str` may be `-`, stdout.

    The command itself checks the content of an edited file before; several runs may write a
    `shared` one.
    """

    metavar: str | None = "FILE"
    form: Form = "file"
    shared: bool = False


@dataclass
class Report(OutputFile):
    """A JSON file of metrics that is written, and replaces nothing but the command's own."""

    help: str = "metrics (JSON)"
    form: Form = "report"


class OutputFolder(Option):
    """A folder that is written, and replaces nothing but the command's own of the same `kind`.

    `{split}` in the kind is the value of `--split`. One that is `growing` is written in parts.
    """

    def __init__(self, help: str, kind: str, *, growing: bool = False) -> None:  # noqa: A002
        super().__init__(help, "DIR")
        self.kind, self.growing = kind, growing


class ParameterFile:
    """Marks the keyword-only parameter that gets the path of the parameter file."""


class _Parameter(NamedTuple):
    name: str
    kind: Any
    option: Any
    default: Any

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def type(self) -> Any:
        """The type without `| None`."""
        kind = get_args(self.kind)[0]
        return get_args(kind)[0] if get_origin(kind) is types.UnionType else kind

    @property
    def flag(self) -> str:
        positional = isinstance(self.option, Positional)
        return self.name if positional else f"--{self.name.replace('_', '-')}"


def command(
    function: Callable[..., None],
    prog: str,
    *,
    parameters: str = "--params",
    default: str | None = "params.yaml",
    explain: Callable[[str], str] = str,
) -> Callable[[Sequence[str] | None], None]:
    """The `main(argv)` of `function`.

    Args:
        prog: the command's name.
        parameters: the option that names the parameter file.
        default: that file's default; `None` makes the option required.
        explain: what `--help` says of a section.
    """

    def main(argv: Sequence[str] | None = None) -> None:
        sections, options = _parameters(function)
        parser = argparse.ArgumentParser(
            prog=prog,
            description=inspect.cleandoc(function.__doc__ or ""),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if sections:
            _add_parameter_file(parser, sections, parameters, default)
            if not {"-h", "--help"}.isdisjoint(sys.argv[1:] if argv is None else argv):
                keys = "\n".join(explain(section.name) for section in sections)
                parser.epilog = f"sections of the parameter file, with defaults:\n{keys}"
        for parameter in options:
            if isinstance(parameter.option, Option):
                parser.add_argument(parameter.flag, **_argument(parameter))
        arguments = vars(parser.parse_args(argv))
        settings, files = _read_sections(sections, arguments) if sections else ({}, [])
        values, inputs, outputs, folders = _read_options(options, arguments)
        made = checked_digests(folders), all_settings(folders, settings)
        with guard(prog.removeprefix("python -m "), [*files, *inputs], outputs, *made):
            function(*settings.values(), **values)

    return main


def _parameters(function: Callable[..., None]) -> tuple[list[_Parameter], list[_Parameter]]:
    """The sections (positional parameters) and the options (keyword-only ones)."""
    hints = get_type_hints(function, include_extras=True)
    sections, options = [], []
    for parameter in inspect.signature(function).parameters.values():
        name, hint, default = parameter.name, hints[parameter.name], parameter.default
        if parameter.kind is parameter.KEYWORD_ONLY:
            options.append(_Parameter(name, hint, get_args(hint)[-1], default))
        else:
            sections.append(_Parameter(name, hint, None, default))
    return sections, options


def _add_parameter_file(
    parser: argparse.ArgumentParser, sections: Sequence[_Parameter], flag: str, default: str | None
) -> None:
    required = any(section.required for section in sections)
    names = [section.name for section in sections]
    parser.add_argument(
        flag,
        dest="params",
        type=Path,
        required=required and default is None,
        default=default if required or os.path.lexists(default or "") else None,
        metavar="FILE",
        help=f"parameter file (YAML) with the sections {', '.join(names)}"
        + (f" (default: {default})" if default else ""),
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help=f"another value (YAML) for a key of {names[0]}, or for SECTION.KEY; may be repeated",
    )


def _argument(parameter: _Parameter) -> dict[str, Any]:
    """Keyword arguments of `ArgumentParser.add_argument`."""
    kind, option = parameter.type, parameter.option
    settings: dict[str, Any] = {"help": option.help}
    if kind is bool:
        return settings | {"action": "store_true"}
    if get_origin(kind) is Literal:
        settings["choices"] = get_args(kind)
    else:
        settings["metavar"] = option.metavar or parameter.name.upper()
    if get_origin(kind) in (list, dict):
        settings["nargs"] = "+" if parameter.required else "*"
        if not isinstance(option, Positional):
            settings["action"] = "extend"
    if not parameter.required:
        settings["default"] = parameter.default
    elif not isinstance(option, Positional):
        settings["required"] = True
    return settings


def _read_sections(
    sections: Sequence[_Parameter], arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Path]]:
    """The sections as dataclasses, and the input files: the parameter file and those it names."""
    path = arguments["params"]
    names = [section.name for section in sections]
    content = sections_of(path, names) if path else {}
    for name, _, _, default in sections:
        if name not in content:
            if default is inspect.Parameter.empty:
                raise InputError(f"{name}: missing section", path=path)
            content[name] = to_mapping(default)
    given = set[str]()
    for setting in arguments["set"]:
        keys, separator, text = setting.partition("=")
        *outer, key = keys.split(".")
        if not outer or outer[0] not in names:
            outer.insert(0, names[0])
        section: Any = content
        for name in outer:
            section = section.get(name) if isinstance(section, dict) else None
        if not (separator and key):
            raise InputError(f"--set {setting}: expected KEY=VALUE")
        if not isinstance(section, dict):
            found = f"a section {'.'.join(outer)}, found {shown(section)}"
            expected = f"a key of {' or '.join(names)}" if section is None else found
            raise InputError(f"--set {setting}: expected {expected}")
        if (place := ".".join([*outer, key])) in given:
            raise InputError(f"--set {setting}: expected one value of {place}, got several")
        given.add(place)
        section[key] = parse_value(text, f"--set {setting}")
    where = f"{path}{' with --set' * bool(given)}: " if path else ""
    settings = {n: from_mapping(kind, content[n], where + n) for n, kind, _, _ in sections}
    named = [file for section in settings.values() for _, file in paths_read(section, "")]
    return settings, [path, *named] if path else named


def _read_options(
    options: Sequence[_Parameter], arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Path], list[Output], list[Path]]:
    """The options' values, the inputs and the outputs, and the inputs that are whole folders."""
    values, inputs, outputs = dict[str, Any](), list[Path](), list[Output]()
    whole = list[Path]()
    for parameter in options:
        value = values[parameter.name] = _value(parameter, arguments)
        match parameter.option:
            case _ if value in (None, STANDARD_OUTPUT):
                pass
            case Input(parts=parts, kind=kind):
                given = value.values() if isinstance(value, dict) else value
                paths = [given] if isinstance(given, Path) else [*given]
                folders = [*filter(Path.is_dir, paths)]
                for folder in folders if kind else ():
                    check_kind(folder, f"mgsa {kind}")
                whole += folders if parts == ("",) else ()
                if isinstance(value, list):  # a shell's pattern may find more
                    check_listed(*filter(Path.is_file, paths))
                inputs += [path / part for path in paths for part in parts]
            case OutputFile(form=form, shared=shared):
                outputs.append(Output(Path(value), form, shared=shared))
            case OutputFolder(kind=kind, growing=growing):
                name = f"mgsa {kind.format(**arguments)}"
                outputs.append(Output(value, "growing folder" if growing else "folder", name))
    return values, inputs, outputs, whole


def _value(parameter: _Parameter, arguments: Mapping[str, Any]) -> Any:
    """The validated value of an option; `{name}` in a default path is the option `--name`."""
    from pydantic import TypeAdapter, ValidationError

    value = arguments[parameter.name]
    if value is parameter.default:
        given = {name: str(one).rstrip("/") for name, one in arguments.items()}
        return Path(str(value).format(**given)) if isinstance(value, Path) else value
    is_path = type(parameter.option) is not Option
    if is_path and "" in (value if isinstance(value, list) else [value]):
        raise InputError(f"{parameter.flag}: expected no empty argument")
    if get_origin(parameter.type) is dict:
        value = named_paths(value, parameter.flag)
    try:
        return TypeAdapter(parameter.kind).validate_python(value)
    except ValidationError as error:
        expected = error.errors()[0]["msg"].replace("Input should be ", "expected ")
        raise InputError(f"{parameter.flag}: {expected}, got {value}") from None
