"""A command line from a function's signature.

    def tokenize_corpus(
        tokenize: TokenizeSettings,
        run: RunSettings,
        *,
        corpus: Annotated[Path, Input("raw text")],
        out: Annotated[Path, OutputFolder("tokenised text", "*.source", "*.target")],
        report: Annotated[Path | None, Report()] = None,
    ) -> None:
        \"\"\"Normalise, tokenise and clean a parallel corpus.\"\"\"

Positional parameters are sections of the parameter file, read by name; where all of them have
defaults, the file may be missing. Keyword-only parameters are options, required unless they have a
default; `Path("{out}.log")` is one that depends on `--out`. The docstring is the help. What is read
and written goes through `mgsa.base.guard` before the function is called.
"""

from __future__ import annotations

import argparse
import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from annotated_types import Interval

from mgsa.base.cli import STANDARD_OUTPUT
from mgsa.base.errors import InputError
from mgsa.base.guard import Output, guard
from mgsa.base.settings import apply_overrides, from_mapping, from_tagged, read_yaml, to_mapping


class Option:
    """An option that is no path. A `Literal` type gives its choices, `bool` makes it a flag.

    Numbers may have a lower bound: `Annotated[Positive, Option(…)]`.
    """

    metavar: str | None = None

    def __init__(self, text: str, metavar: str | None = None) -> None:
        self.help = text
        self.metavar = metavar or self.metavar


class Positional(Option):
    """Arguments without a flag in front of them, of a `list` type."""


class Input(Option):
    """A file or folder that is read; of a type `dict[str, Path]`, several as `NAME=PATH`."""

    metavar = "DIR"


class OutputFile(Option):
    """A file that is written; `-` is stdout. A `shared` one may be written by several runs."""

    metavar = "FILE"

    def __init__(self, text: str, metavar: str | None = None, *, shared: bool = False) -> None:
        super().__init__(text, metavar)
        self.shared = shared


class Report(OutputFile):
    """A JSON file of metrics that is written; what stands there before must be JSON too."""

    def __init__(self, text: str = "metrics (JSON)") -> None:
        super().__init__(text)


class OutputFolder(Option):
    """A folder that is written. It may hold no file before but those that match `files`.

    Args:
        files: patterns of paths within it; `{split}` stands for the option `--split`.
    """

    metavar = "DIR"

    def __init__(self, text: str, *files: str) -> None:
        super().__init__(text)
        self.files = files


class ParameterFile:
    """The keyword-only parameter `params`: the file itself, for who records all of its sections."""


class Reads:
    """Marks a setting, `Annotated[str, Reads()]`, as the path of something that is read."""


class _Parameter(NamedTuple):
    name: str
    kind: Any
    option: Any
    default: Any

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

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
    sections: Sequence[str] | None = None,
) -> Callable[[Sequence[str] | None], None]:
    """The `main(argv)` of `function`.

    Args:
        prog: what the command is called.
        parameters: the option that names the parameter file, if the function takes sections of one.
        default: that file's name; without one the option is required.
        sections: all that a parameter file may have; `None`: any others are not read.
    """

    def main(argv: Sequence[str] | None = None) -> None:
        wanted, options = _signature(function)
        parser = argparse.ArgumentParser(
            prog=prog,
            description=inspect.cleandoc(function.__doc__ or ""),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if wanted:
            _add_parameter_file(parser, wanted, parameters, default)
        for one in options:
            if isinstance(one.option, Option):
                parser.add_argument(one.flag, **_settings_of(one))
        call(function, parser.parse_args(argv), sections)

    return main


def call(
    function: Callable[..., None], arguments: argparse.Namespace, known: Sequence[str] | None
) -> None:
    """Read the sections, guard what is written, and call `function`."""
    wanted, options = _signature(function)
    settings, inputs = _read_settings(wanted, arguments, known) if wanted else ([], [])
    values, paths, outputs = _read_options(options, arguments)
    with guard([*inputs, *paths], outputs):
        function(*settings, **values)


def _signature(function: Callable[..., None]) -> tuple[list[_Parameter], list[_Parameter]]:
    """The positional parameters (sections) and the keyword-only ones (options)."""
    hints = get_type_hints(function, include_extras=True)
    sections, options = [], []
    for given in inspect.signature(function).parameters.values():
        hint = hints[given.name]
        if given.kind is given.KEYWORD_ONLY:
            kind, *bounds, option = get_args(hint)
            kind = Annotated[(kind, *bounds)] if bounds else kind
            options.append(_Parameter(given.name, kind, option, given.default))
        else:
            sections.append(_Parameter(given.name, hint, None, given.default))
    return sections, options


def _add_parameter_file(
    parser: argparse.ArgumentParser, wanted: Sequence[_Parameter], flag: str, default: str | None
) -> None:
    optional = not any(section.required for section in wanted)
    first, *more = (section.name for section in wanted)
    parser.add_argument(
        flag,
        dest="params",
        type=Path,
        required=default is None and not optional,
        default=None if optional and not Path(default or "").is_file() else default,
        metavar="FILE",
        help="parameter file (YAML) with "
        + " and ".join(f"the section {name}" for name in (first, *more))
        + (f" (default: {default})" if default else ""),
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help=f"put another value (YAML) for a key of {first}"
        + (f", or SECTION.KEY=VALUE of {' or '.join(more)}" if more else "")
        + "; may be repeated",
    )


def _settings_of(one: _Parameter) -> dict[str, Any]:
    """What `ArgumentParser.add_argument` is to know of an option."""
    kind, option = one.kind, one.option
    settings: dict[str, Any] = {"help": option.help}
    if get_origin(kind) in (Union, types.UnionType):
        (kind,) = (inner for inner in get_args(kind) if inner is not type(None))
    if kind is bool:
        return settings | {"action": "store_true"}
    if get_origin(kind) is Literal:
        settings["choices"] = get_args(kind)
    else:
        settings["metavar"] = option.metavar or one.name.upper()
    if get_origin(kind) in (list, dict):
        settings["nargs"] = "+" if one.required else "*"
        settings["type"] = _named_path if get_origin(kind) is dict else get_args(kind)[0]
        if not isinstance(option, Positional):
            settings["action"] = "extend"
    elif get_origin(kind) is Annotated:
        settings["type"] = _bounded(*get_args(kind))
    elif get_origin(kind) is not Literal:
        settings["type"] = kind
    if not one.required:
        settings["default"] = one.default
    elif not isinstance(option, Positional):
        settings["required"] = True
    return settings


def _bounded(kind: type[float], interval: Interval) -> Callable[[str], float]:
    """What reads a number of an interval, of which the lower bound is checked."""

    def number(text: str) -> float:
        value = kind(text)
        if value < interval.ge:  # type: ignore[operator]
            raise argparse.ArgumentTypeError(f"expected at least {interval.ge}, got {text}")
        return value

    return number


def _named_path(text: str) -> tuple[str, Path]:
    """`NAME=PATH`, or a path alone, which is called what its last part is called."""
    name, separator, path = text.partition("=")
    if not separator or Path(text).exists():
        return Path(text).name, Path(text)
    if not (name and path):
        raise argparse.ArgumentTypeError(f"expected NAME=PATH, got {text}")
    return name, Path(path)


def _read_settings(
    wanted: Sequence[_Parameter], arguments: argparse.Namespace, known: Sequence[str] | None
) -> tuple[list[Any], list[Path]]:
    """The sections as dataclasses, and what they read; without a file, their defaults."""
    path = arguments.params
    content: Mapping[str, Any]
    if path is None:
        content = {section.name: to_mapping(section.default) for section in wanted}
    else:
        content = read_yaml(path)
    for name in content:
        if known is not None and name not in known:
            expected = ", ".join(known)
            raise InputError(f"{name}: unknown section; expected one of {expected}", path=path)
    names = [section.name for section in wanted]
    for name in names:
        if name not in content:
            raise InputError(f"{name}: missing section", path=path)
    overrides = []
    for override in arguments.set:
        first, dot, _ = override.partition("=")[0].partition(".")
        overrides.append(override if dot and first in names else f"{names[0]}.{override}")
    content = apply_overrides(content, overrides)
    settings, inputs = [], [path] if path else []
    for name, kind, _, _ in wanted:
        settings.append(read_section(kind, content[name], f"{path}: {name}" if path else name))
        inputs += _paths_read(settings[-1])
    return settings, inputs


def _read_options(
    options: Sequence[_Parameter], arguments: argparse.Namespace
) -> tuple[dict[str, Any], list[Path], list[Output]]:
    """What the options are worth, and which of them are read and written."""
    values: dict[str, Any] = {}
    inputs: list[Path] = []
    outputs = []
    for one in options:
        value = getattr(arguments, one.name)
        if isinstance(value, Path) and value is one.default:
            value = Path(str(value).format(**vars(arguments)))
        match one.option:
            case Input() if isinstance(value, list) and value and isinstance(value[0], tuple):
                pairs, value = value, {}
                for name, path in pairs:
                    if name in value:
                        message = f"expected another name, {name} is taken"
                        raise InputError(f"{one.flag} {name}={path}: {message}")
                    value[name] = path
                inputs += value.values()
            case Input() if value is not None:
                inputs += value if isinstance(value, list) else [value]
            case OutputFile(shared=shared) if value not in (None, STANDARD_OUTPUT):
                is_json = isinstance(one.option, Report)
                outputs.append(Output(Path(value), is_json=is_json, shared=shared))
            case OutputFolder(files=files) if value is not None:
                patterns = tuple(pattern.format(**vars(arguments)) for pattern in files)
                outputs.append(Output(value, patterns))
        values[one.name] = value
    return values, inputs, outputs


def read_section(kind: Any, values: Any, where: str) -> Any:
    """The section of a parameter file as a dataclass, or as that of several that its `kind` names.

    Raises:
        InputError: as `mgsa.base.settings.from_mapping`.
    """
    if get_origin(kind) in (Union, types.UnionType):
        kinds = {get_args(get_type_hints(c)["kind"])[0]: c for c in get_args(kind)}
        return from_tagged(kinds, values, where)
    return from_mapping(kind, values, where)


def _paths_read(settings: Any) -> Iterator[Path]:
    """What a section of settings names by fields marked `Reads`."""
    if not is_dataclass(settings):
        return
    hints = get_type_hints(type(settings), include_extras=True)
    for field in fields(settings):
        value = getattr(settings, field.name)
        if isinstance(value, str) and _is_marked(hints[field.name]):
            yield Path(value)
        yield from _paths_read(value)


def _is_marked(hint: Any) -> bool:
    return isinstance(hint, Reads) or any(map(_is_marked, get_args(hint)))
