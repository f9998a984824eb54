"""Check `params.yaml`, say which composition of the config groups it is, or compose it anew.

`dvc exp run -S model=…` composes the groups in `conf/`; `dvc repro` runs `params.yaml` as it is. A
file edited by hand is a legitimate experiment, but nobody should take it for a preset: this stage
runs whenever the file or the groups changed, and names what differs. It is the first to run, so a
wrong key or value of any stage ends `dvc repro` before any work.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import yaml

from mgsa.base.cli import run
from mgsa.base.command import Input, Option, OutputFile, Report, command
from mgsa.base.errors import InputError
from mgsa.base.io import atomic_file, write_json
from mgsa.base.settings import read_yaml
from pipeline.parameters import check_parameters

GROUPS = ("corpus", "parser", "align", "model", "train")
ABSENT = "nothing"


@dataclass(frozen=True)
class Composition:
    """The option of each group nearest to a parameter file, and the keys that still differ.

    `differences` gives for a key (`train.max_epochs`) the file's value and the composition's.
    """

    options: dict[str, str]
    differences: dict[str, tuple[Any, Any]]


def compose(config: Path, overrides: Sequence[str]) -> dict[str, Any]:
    """The sections that Hydra composes from the folder `config` with `group=option` overrides.

    Raises:
        InputError: an option or key is unknown, or the files of the groups don't fit each other.
    """
    with _hydra(config):
        return _compose(config, overrides)


@contextmanager
def _hydra(config: Path) -> Iterator[None]:
    import hydra

    for path in sorted(config.rglob("*.yaml")):
        if path.stat().st_size:  # Hydra takes an empty file for an empty option
            read_yaml(path)
    with hydra.initialize_config_dir(str(config.resolve()), version_base=None):
        yield


def _compose(config: Path, overrides: Sequence[str]) -> dict[str, Any]:
    import hydra
    from hydra.errors import HydraException, MissingConfigException, OverrideParseException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        composed = hydra.compose("config", overrides=list(overrides))
        sections = OmegaConf.to_container(composed, resolve=True)
    except MissingConfigException as error:
        options = f"; expected one of {', '.join(error.options)}" if error.options else ""
        raise InputError(str(error).splitlines()[0] + options, path=config) from None
    except OverrideParseException as error:
        raise InputError(f"{error.override}: expected one group=option or key=value") from None
    except (HydraException, OmegaConfBaseException) as error:
        message = str(error).splitlines()[0]
        if message.startswith("Could not override") and message.endswith("'."):
            message = message.removesuffix(".") + ": no such key or group"
        raise InputError(message, path=config) from None
    except (AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        # Hydra has no error of its own for a list of defaults that is none, and the like.
        raise InputError(f"expected config groups: {error}", path=config) from None
    assert isinstance(sections, dict)
    return {str(name): section for name, section in sections.items()}


def nearest_composition(params: Mapping[str, Any], config: Path) -> Composition:
    """The composition of the groups in `config` that differs from `params` in the fewest keys.

    Groups set keys of their own, so the best option of one does not depend on the others'.
    """
    wanted = _flatten(params)
    options: dict[str, str] = {}
    with _hydra(config):
        for group in GROUPS:
            names = sorted(path.stem for path in (config / group).glob("*.yaml"))
            if not names:
                message = "expected a config group, found no option"
                raise InputError(message, path=config / group)
            numbers = {
                name: len(_differences(wanted, _compose(config, [f"{group}={name}"])))
                for name in names
            }
            options[group] = min(names, key=numbers.__getitem__)
        composed = _compose(config, [f"{group}={name}" for group, name in options.items()])
    return Composition(options, _differences(wanted, composed))


def describe(composition: Composition, path: Path) -> list[str]:
    """One line naming the options of the file `path`, then one for each key that none explains."""
    lines = [f"{path} is " + " ".join(f"{g}={o}" for g, o in composition.options.items())]
    if composition.differences:
        count = len(composition.differences)
        lines[0] += f", with {count} {'value' if count == 1 else 'values'} that no preset gives:"
    for key, (value, preset) in composition.differences.items():
        lines.append(f"  {key}: {_shown(value)} (the preset has {_shown(preset)})")
    return lines


def _shown(value: Any) -> str:
    """A value as YAML has it: `null`, not Python's `None`."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _differences(
    wanted: Mapping[str, Any], composed: Mapping[str, Any]
) -> dict[str, tuple[Any, Any]]:
    found = _flatten(composed)
    differences = {
        key: (wanted.get(key, ABSENT), found.get(key, ABSENT))
        for key in [*wanted, *(key for key in found if key not in wanted)]
        if wanted.get(key, ABSENT) != found.get(key, ABSENT)
    }
    # Where one has a section and the other `null`, the keys of the section tell it.
    parents = {key for key in differences if any(k.startswith(f"{key}.") for k in differences)}
    return {key: pair for key, pair in differences.items() if key not in parents}


def _flatten(sections: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in sections.items():
        if isinstance(value, Mapping):
            flat |= _flatten(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def check_or_compose(
    *,
    params: Annotated[Path, OutputFile("parameter file, which --write replaces")] = Path(
        "params.yaml"
    ),
    config: Annotated[Path, Input("config groups")] = Path("conf"),
    write: Annotated[
        list[str] | None,
        Option("write the composition of these, as `dvc exp run -S` would", "GROUP=OPTION"),
    ] = None,
    report: Annotated[Path | None, Report("what the file is (JSON)")] = None,
) -> None:
    """Check the parameter file and say which composition of the groups it is, or write one."""
    if write is not None:
        content = compose(config, write)
        check_parameters(content, params)
        with atomic_file(params) as file:
            yaml.safe_dump(content, file, sort_keys=False, allow_unicode=True)
        return
    content = read_yaml(params)
    check_parameters(content, params)
    composition = nearest_composition(content, config)
    for line in describe(composition, params):
        print(line, file=sys.stderr)
    if report:
        differences = {
            key: {"params": value, "preset": preset}
            for key, (value, preset) in composition.differences.items()
        }
        write_json(report, {**composition.options, "differences": differences})


main = command(check_or_compose, "python -m pipeline.params")

if __name__ == "__main__":
    sys.exit(run(main))
