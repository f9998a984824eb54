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
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Interval

from mgsa.base.cli import STANDARD_OUTPUT
from mgsa.base.errors import InputError
from mgsa.base.guard import Output, guard
from mgsa.base.settings import apply_overrides, from_mapping, from_tagged, read_yaml, to_mapping


@dataclass(frozen=True)
class Option:
    """An option that is no path. A `Literal` type gives its choices, `bool` makes it a flag.

    Numbers may have a lower bound: `Annotated[Positive, Option(…)]`.
    """

    help: str
    metavar: str | None = None


@dataclass(frozen=True)
class Positional(Option):
    """Arguments without a flag in front of them, of a `list` type."""


@dataclass(frozen=True)
class Input(Option):
    """A file or folder that is read; of a type `dict[str, Path]`, several as `NAME=PATH`."""

    metavar: str | None = "DIR"


@dataclass(frozen=True)
class OutputFile(Option):
    """A file that is written; `-` is stdout. A `shared` one may be written by several runs."""

    metavar: str | None = "FILE"
    shared: bool = False


@dataclass(frozen=True)
class Report(OutputFile):
    """A JSON file of metrics that is written; what stands there before must be JSON too."""

    help: str = "metrics (JSON)"


class OutputFolder(Option):
    """A folder that is written. It may hold no file before but those that match `files`.

    Attributes:
        files: patterns of paths within it; `{split}` stands for the option `--split`.
    """

    def __init__(self, text: str, *files: str) -> None:
        super().__init__(text, "DIR")
        object.__setattr__(self, "files", files)


class ParameterFile(Option):
    """The keyword-only parameter `params`: the file itself, for who records all of its sections."""

    def __init__(self) -> None:
        super().__init__("")


@dataclass(frozen=True)
class Reads:
    """Marks a setting, `Annotated[str, Reads()]`, as the path of something that is read."""


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
        parameters, default, sections: as `add_arguments` and `call` take them.
    """

    def main(argv: Sequence[str] | None = None) -> None:
        parser = argparse.ArgumentParser(prog=prog)
        add_arguments(parser, function, parameters=parameters, default=default)
        call(function, parser.parse_args(argv), sections=sections)

    return main


def add_arguments(
    parser: argparse.ArgumentParser,
    function: Callable[..., None],
    *,
    parameters: str = "--params",
    default: str | None = "params.yaml",
) -> None:
    """Give `parser` the options of `function`.

    Args:
        parameters: the option that names the parameter file, if the function takes sections of one.
        default: that file's name; without one the option is required.
    """
    parser.description = inspect.cleandoc(function.__doc__ or "")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    names = [*_sections(function)]
    if names:
        optional = _can_do_without_file(function)
        parser.add_argument(
            parameters,
            dest="params",
            type=Path,
            required=default is None and not optional,
            default=None if optional and not Path(default or "").is_file() else default,
            metavar="FILE",
            help=f"parameter file (YAML) with {' and '.join(f'the section {n}' for n in names)}"
            + (f" (default: {default})" if default else ""),
        )
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help=f"put another value (YAML) for a key of {names[0]}"
            + (f", or SECTION.KEY=VALUE of {' or '.join(names[1:])}" if names[1:] else "")
            + "; may be repeated",
        )
    for name, (kind, option, value) in _options(function).items():
        if isinstance(option, ParameterFile):
            continue
        parser.add_argument(*_flags(name, option), **_settings_of(name, kind, option, value))


def call(
    function: Callable[..., None],
    arguments: argparse.Namespace,
    *,
    sections: Sequence[str] | None = None,
) -> None:
    """Read the sections, guard what is written, and call `function`.

    Args:
        sections: all that a parameter file may have; `None`: any others are not read.

    Raises:
        InputError: a section, key or value is wrong, or an output would cost what is not ours.
    """
    names = _sections(function)
    settings = []
    inputs = []
    if names:
        path = arguments.params
        inputs += [path] if path else []
        content = _read_sections(path, arguments.set, names, sections)
        hints = get_type_hints(function, include_extras=True)
        for name in names:
            where = f"{path}: {name}" if path else name
            settings.append(read_section(hints[name], content[name], where))
            inputs += _paths_read(settings[-1])
    options = {}
    outputs = []
    for name, (_, option, default) in _options(function).items():
        value = getattr(arguments, name)
        if isinstance(value, Path) and value is default:
            value = Path(str(value).format(**vars(arguments)))
        if isinstance(option, Input) and isinstance(value, list):
            inputs += [path if isinstance(path, Path) else path[1] for path in value]
            if value and not isinstance(value[0], Path):
                value = _named(f"--{name.replace('_', '-')}", value)
        elif isinstance(option, Input) and value is not None:
            inputs.append(value)
        elif isinstance(option, OutputFile) and value not in (None, STANDARD_OUTPUT):
            outputs.append(
                Output(Path(value), is_json=isinstance(option, Report), shared=option.shared)
            )
        elif isinstance(option, OutputFolder) and value is not None:
            patterns: tuple[str, ...] = option.files  # type: ignore[attr-defined]
            outputs.append(Output(value, tuple(p.format(**vars(arguments)) for p in patterns)))
        options[name] = value
    with guard(inputs, outputs):
        function(*settings, **options)


def read_section(kind: Any, values: Any, where: str) -> Any:
    """The section of a parameter file as a dataclass, or as that of several that its `kind` names.

    Raises:
        InputError: as `mgsa.base.settings.from_mapping`.
    """
    if get_origin(kind) in (Union, types.UnionType):
        kinds = {get_args(get_type_hints(c)["kind"])[0]: c for c in get_args(kind)}
        return from_tagged(kinds, values, where)
    return from_mapping(kind, values, where)


def _can_do_without_file(function: Callable[..., None]) -> bool:
    return inspect.Parameter.empty not in _sections(function).values()


def _read_sections(
    path: Path | None,
    overrides: Sequence[str],
    sections: Mapping[str, Any],
    known: Sequence[str] | None,
) -> Mapping[str, Any]:
    """The file's content, or without a file the sections' defaults, with the overrides put in."""
    if path is None:
        content: Mapping[str, Any] = {name: to_mapping(value) for name, value in sections.items()}
    else:
        content = read_yaml(path)
    for name in content:
        if known is not None and name not in known:
            expected = ", ".join(known)
            raise InputError(f"{name}: unknown section; expected one of {expected}", path=path)
    for name in sections:
        if name not in content:
            raise InputError(f"{name}: missing section", path=path)
    main, *_ = sections
    qualified = []
    for override in overrides:
        first, dot, _ = override.partition("=")[0].partition(".")
        qualified.append(override if dot and first in sections else f"{main}.{override}")
    return apply_overrides(content, qualified)


def _sections(function: Callable[..., None]) -> dict[str, Any]:
    """The positional parameters and their defaults (or `inspect.Parameter.empty`)."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD}


def _options(function: Callable[..., None]) -> dict[str, tuple[Any, Option, Any]]:
    """Type, metadata and default (or `inspect.Parameter.empty`) of each keyword-only parameter."""
    hints = get_type_hints(function, include_extras=True)
    found = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            kind, *bounds, option = get_args(hints[parameter.name])
            if bounds:
                kind = Annotated[(kind, *bounds)]
            found[parameter.name] = (kind, option, parameter.default)
    return found


def _bounded(kind: type[float], interval: Interval) -> Callable[[str], float]:
    """What reads a number of an interval, of which the lower bound is checked."""

    def number(text: str) -> float:
        value = kind(text)
        if value < interval.ge:  # type: ignore[operator]
            raise argparse.ArgumentTypeError(f"expected at least {interval.ge}, got {text}")
        return value

    return number


def _flags(name: str, option: Option) -> list[str]:
    return [name] if isinstance(option, Positional) else [f"--{name.replace('_', '-')}"]


def _settings_of(name: str, kind: Any, option: Option, default: Any) -> dict[str, Any]:
    """What `ArgumentParser.add_argument` is to know of an option."""
    settings: dict[str, Any] = {"help": option.help}
    if get_origin(kind) in (Union, types.UnionType):
        (kind,) = (inner for inner in get_args(kind) if inner is not type(None))
    if get_origin(kind) is Annotated:
        kind = _bounded(*get_args(kind))
    required = default is inspect.Parameter.empty
    if kind is bool:
        return settings | {"action": "store_true"}
    if get_origin(kind) is Literal:
        settings["choices"] = get_args(kind)
    else:
        settings["metavar"] = option.metavar or name.upper()
    if get_origin(kind) in (list, dict):
        settings["nargs"] = "+" if required else "*"
        inner = get_args(kind)[-1]
        settings["type"] = _named_path if get_origin(kind) is dict else inner
        if not isinstance(option, Positional):
            settings["action"] = "extend"
    elif get_origin(kind) is not Literal:
        settings["type"] = kind
    if not required:
        settings["default"] = default
    elif not isinstance(option, Positional):
        settings["required"] = True
    return settings


def _named_path(text: str) -> tuple[str, Path]:
    """`NAME=PATH`, or a path alone, which is called what its last part is called."""
    name, separator, path = text.partition("=")
    if not separator or Path(text).exists():
        return Path(text).name, Path(text)
    if not (name and path):
        raise argparse.ArgumentTypeError(f"expected NAME=PATH, got {text}")
    return name, Path(path)


def _named(flag: str, pairs: Sequence[tuple[str, Path]]) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for name, path in pairs:
        if name in paths:
            raise InputError(f"{flag} {name}={path}: expected another name, {name} is taken")
        paths[name] = path
    return paths


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
    if get_origin(hint) is Annotated:
        return any(isinstance(mark, Reads) for mark in get_args(hint)[1:])
    return any(_is_marked(inner) for inner in get_args(hint))
