"""Presets: what the groups in `conf/` compose to, and which composition a parameter file is.

`dvc exp run -S` composes by Hydra. Here Hydra composes the options of groups; other values are put
as they are written.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unicodedata import normalize

from mgsa.cli.errors import InputError
from mgsa.cli.files import is_utf_8, read_text
from mgsa.cli.settings import parse_value, read_yaml, shown
from pipeline.formats.tables import flatten

GROUPS = ("corpus", "parser", "align", "model", "train")
ABSENT = "nothing"


def compose(config: Path, overrides: Sequence[str]) -> dict[str, Any]:
    """Compose the groups in `config` with `GROUP=OPTION` and `KEY=VALUE`.

    Values are YAML; but where the preset is text, so is the value, as it stands.

    Raises:
        InputError: an option or key is unknown, or the files of the groups don't fit each other.
    """
    options, values = split_overrides(overrides)
    composed = _composed(config, options)
    for key, text in values.items():
        _put_text(composed, key, text, config)
    return composed


def split_overrides(overrides: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Options by group, and other values by key."""
    given: dict[str, str] = {}
    for override in overrides:
        key, separator, value = override.partition("=")
        if not (separator and key and is_utf_8(value)):
            raise InputError(f"{override}: expected GROUP=OPTION or KEY=VALUE (text in UTF-8)")
        given[key] = value
    options = {key: value for key, value in given.items() if key in GROUPS}
    return options, {key: value for key, value in given.items() if key not in GROUPS}


def _composed(config: Path, options: Mapping[str, str]) -> dict[str, Any]:
    import hydra
    from omegaconf import OmegaConf

    quoted = dict[str, str]()
    for group, option in options.items():
        names = {normalize("NFC", name): name for name in _options(config, group)}  # as macOS's
        name = names.get(normalize("NFC", option))
        if name is None:
            near = get_close_matches(option, names, n=1)
            hint = f"{near[0]}?" if near else f"expected one of {', '.join(names)}"
            raise InputError(f"{group}={option}: unknown option ({hint})", path=config)
        # In quotes of Hydra's grammar, as a name may be a number, or not ASCII.
        quoted[group] = "'" + name.replace("'", r"\'") + "'"
    overrides = [f"{group}={option}" for group, option in quoted.items()]
    try:
        with hydra.initialize_config_dir(str(config.resolve()), version_base=None):
            composed = hydra.compose("config", overrides=overrides)
        params: dict[str, Any] = OmegaConf.to_container(composed, resolve=True)
        return params
    except RecursionError:
        message = "expected options and values that don't lead to themselves"
        raise InputError(" ".join([*overrides, message]), path=config) from None
    except Exception as error:  # Hydra has no class of its own for a malformed list of defaults
        check_files(config)
        raise InputError(str(error).partition("\n")[0] or repr(error), path=config) from None


def check_files(config: Path) -> None:
    """Raise an `InputError` for a malformed file, and for a value that YAML 1.1 reads otherwise.

    Hydra reads that.
    """
    from omegaconf import OmegaConf

    if other := next(config.rglob("*.yml"), None):
        raise InputError("expected options in files that end in .yaml", path=other)
    for path in sorted(config.rglob("*.yaml")):
        if not path.stat().st_size:  # Hydra takes an empty file for an empty option
            continue
        ours = flatten(read_yaml(path))
        try:
            theirs = flatten(OmegaConf.to_container(OmegaConf.load(path)))
        except Exception as error:  # of PyYAML or OmegaConf, which have no class in common
            raise InputError(str(error).partition("\n")[0], path=path) from None
        for key, value in ours.items():
            other = theirs.get(key)
            if (type(other), other) != (type(value), value):
                expected = f"expected what reads alike in YAML 1.2 ({shown(value)})"
                raise InputError(f"{key}: {expected} and 1.1 ({shown(other)})", path=path)


def _options(config: Path, group: str) -> list[str]:
    """The names of a group's options; an `InputError` if it has none."""
    names = sorted(path.stem for path in (config / group).glob("*.yaml"))
    if not names:
        raise InputError("expected a config group, found no option", path=config / group)
    return names


def _put_text(content: dict[str, Any], key: str, text: str, config: Path) -> None:
    section, value = content, content
    for name in (names := key.split(".")):
        if not isinstance(value, dict):
            raise InputError(f"{key}: no key, as {shown(value)} stands in place of its section")
        if name not in value:
            raise InputError(f"{key}: unknown key{_hint(key, name, value, config)}")
        section, value = value, value[name]
    literal = isinstance(value, str) and text != "null" and text[:1] not in ("'", '"')
    section[names[-1]] = text if literal else parse_value(text, f"{key}={text}")


def _hint(key: str, part: str, section: Mapping[str, Any], config: Path) -> str:
    """The key of `section` that `part` of `key` may stand for, or the options that have `key`."""
    if near := get_close_matches(part, section, n=1):
        return f" ({'.'.join(near[0] if name == part else name for name in key.split('.'))}?)"
    group = key.partition(".")[0]
    options = [
        path.stem
        for path in sorted((config / group).glob("*.yaml"))
        if {key, key.removeprefix(f"{group}.")} & flatten(read_yaml(path)).keys()
    ]
    return f" (with {group}={' or '.join(options)} it is one)" if options else ""


def change(
    content: Mapping[str, Any], options: Mapping[str, str], config: Path, overrides: Sequence[str]
) -> dict[str, Any]:
    """`content`, whose nearest `options` these are, with other options and values.

    The rest is kept. A new option brings all values in which its preset differs from that of the
    old one.
    """
    new, values = split_overrides(overrides)
    before, after = (_composed(config, chosen) for chosen in (options, {**options, **new}))
    changed: dict[str, Any] = deepcopy(_merged(content, before, after))
    for key, text in values.items():
        _put_text(changed, key, text, config)
    return changed


def _merged(content: Any, before: Any, after: Any) -> Any:
    """`content`, but what differs in `after` from `before` is that of `after`."""
    if before == after:
        return content
    if not all(isinstance(part, Mapping) for part in (content, before, after)):
        return after
    keys = [*after, *(key for key in content if key not in before)]
    parts = {
        key: _merged(*(part.get(key, ABSENT) for part in (content, before, after))) for key in keys
    }
    return {key: part for key, part in parts.items() if part != ABSENT}


Differences = dict[str, tuple[Any, Any]]
"""Values of the parameter file and of a composition, by key (`train.max_epochs`)."""


def nearest_composition(
    params: Mapping[str, Any], config: Path, asked: Mapping[str, str] = MappingProxyType({})
) -> tuple[dict[str, str], Differences]:
    """The options in `config` nearest to `params`, of equals the `asked` ones; keys that differ.

    Groups set disjoint keys, so the best option of each is found independently; nothing is better
    than no difference.
    """
    entries = read_yaml(config / "config.yaml")["defaults"]
    options = {g: option for entry in entries if entry != "_self_" for g, option in entry.items()}
    options |= asked
    differences, wanted = _differences(params, _composed(config, options)), flatten(params)
    for group in GROUPS:
        own = {name: _own_values(config, group, name) for name in _options(config, group)}
        known = {f"{key}." for values in own.values() for key in values}
        # Differences in values of its file at least; a composition takes much longer to tell.
        least = {
            name: sum(wanted.get(key, ABSENT) != value for key, value in values.items())
            for name, values in own.items()
        }
        for name in sorted(own, key=least.__getitem__):
            of_others = [
                k for k in differences if not any(f"{k}.".startswith(key) for key in known)
            ]
            if len(of_others) + least[name] >= len(differences):
                break
            tried = options | {group: name}
            with suppress(InputError):  # of an option that the file is not
                found = _differences(params, _composed(config, tried))
                if len(found) < len(differences):
                    options, differences = tried, found
    return options, differences


def _own_values(config: Path, group: str, name: str) -> dict[str, Any]:
    """The values that an option's file itself sets, by key of a parameter file."""
    path = config / group / f"{name}.yaml"
    values = {key: value for key, value in read_yaml(path).items() if key != "defaults"}
    is_global = "@package _global_" in read_text(path)
    return flatten(values if is_global else {group: values})


def describe(options: Mapping[str, str], differences: Differences, path: Path) -> Iterator[str]:
    """Yield a line that names the options of `path`, then one for each differing key."""
    count = len(differences)
    more = f", with {count} value{'s' * (count != 1)} that no preset gives:" if count else ""
    yield f"{path} is " + " ".join(f"{group}={name}" for group, name in options.items()) + more
    for key, (value, preset) in differences.items():
        yield f"  {key}: {_shown(value)} (the preset has {_shown(preset)})"


def describe_changes(
    before: tuple[Mapping[str, str], Mapping[str, Any]], options: Mapping[str, str], content: Any
) -> Iterator[str]:
    """Yield a line for each option of `before`, and each of some values, that is gone."""
    for group, name in before[0].items():
        if options[group] != name:
            yield f"  {group}={options[group]} (before: {name})"
    values = flatten(content)
    for key, value in before[1].items():
        if values.get(key, ABSENT) != value:
            is_section = any(other.startswith(f"{key}.") for other in values)
            new = "keys" if is_section else values.get(key, ABSENT)
            yield f"  {key}: {_shown(new)} (before: {_shown(value)})"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _differences(params: Mapping[str, Any], composed: Mapping[str, Any]) -> Differences:
    wanted, preset = flatten(params), flatten(composed)
    pairs = {key: (wanted.get(key, ABSENT), preset.get(key, ABSENT)) for key in wanted | preset}
    differing = {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}
    # Where one has a section and the other `null`, the keys of the section tell it.
    parents = {key for key in differing if any(k.startswith(f"{key}.") for k in differing)}
    return {key: pair for key, pair in differing.items() if key not in parents}
