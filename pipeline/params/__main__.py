"""Stage `params`, the first to run: check every section of `params.yaml` and name its presets.

A file edited by hand is reported as its nearest composition and the keys that differ. `--write`
composes the file anew, `--change` keeps what it doesn't name.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from mgsa.cli.command import Input, Option, OutputFile, Report, command
from mgsa.cli.errors import InputError
from mgsa.cli.files import atomic_file, read_text, real_path
from mgsa.cli.outputs import write_report
from mgsa.cli.run import one_line, run
from mgsa.cli.settings import read_yaml, write_yaml
from pipeline.formats.tables import flatten
from pipeline.params import presets
from pipeline.params.machine import check_machine, check_outputs
from pipeline.params.presets import compose, describe, describe_changes, nearest_composition
from pipeline.params.sections import SETTINGS, check_parameters

Overrides = list[str] | None
OURS = {"corpus", "tokenize", "bpe", "partition"}
"""Sections that tell our parameter file from those of other projects."""


def check_or_compose(
    *,
    params: Annotated[
        Path, OutputFile("parameter file, which --write and --change replace", form="edited file")
    ] = Path("params.yaml"),
    config: Annotated[Path, Input("config groups")] = Path("conf"),
    write: Annotated[
        Overrides, Option("write the composition of these, and of them alone", "KEY=VALUE")
    ] = None,
    change: Annotated[
        Overrides, Option("change these options and values; others stay, comments go", "KEY=VALUE")
    ] = None,
    report: Annotated[Path | None, Report("what the file is (JSON)")] = None,
) -> None:
    """Check the parameter file and say which composition of the groups it is, or write one.

    KEY is a group of conf/, whose VALUE is an option (model=transformer_tiny), or a key of the
    file (train.max_epochs=5).
    """
    if write is not None and change is not None:
        raise InputError("--write, --change: expected one of them")
    keys = [override.partition("=")[0] for override in write or change or ()]
    if repeated := next((key for key in keys if keys.count(key) > 1), None):
        raise InputError(f"{repeated}: expected one value, got several")
    presets.check_files(config)
    is_new = write is not None or change is not None
    before = _replaced(params) if is_new else None
    nearest = None if before is None else nearest_composition(before, config)
    if write is not None:
        content = compose(config, write)
    elif change is not None:
        if before is None or nearest is None:
            raise InputError("expected parameters to change; --write makes some", path=params)
        check_parameters(before, params)
        content = presets.change(before, nearest[0], config, change)
    else:
        content = read_yaml(params)
    composition = Path(" ".join([f"{config} with", *(write or change or ["its defaults"])]))
    sections = check_parameters(content, composition if is_new else params)
    check_outputs(sections, params)
    asked, _ = presets.split_overrides(write or change or ())
    options, differences = nearest_composition(content, config, asked)
    lines = [*describe(options, differences, params)]
    if before is not None and nearest is not None:
        own = {key: value for key, (value, _) in nearest[1].items()}
        # An option may replace a value of one's own that is another preset's by chance.
        told = own if change is None else flatten(before)
        lines += describe_changes((nearest[0], told), options, content)
        if re.search(r"(?m)(?:^|\s)#", read_text(params)):
            lines.append("  comments are gone")
    if is_new:
        write_parameters(params, content)
    for line in lines:
        print(one_line(line), file=sys.stderr)
    if not is_new:
        check_machine(sections, params)
    if report:
        pairs = {
            key: dict(zip(("params", "preset"), p, strict=True)) for key, p in differences.items()
        }
        write_report(report, {**options, "differences": pairs})


def write_parameters(path: Path, content: Mapping[str, Any]) -> None:
    """Write a parameter file, atomically."""
    with atomic_file(real_path(path)) as file:
        write_yaml(content, file)


def _replaced(path: Path) -> dict[str, Any] | None:
    """The parameters that are there; an `InputError` if it is another file."""
    if not path.exists() or not path.stat().st_size:
        return None
    content = read_yaml(path)
    if not OURS <= content.keys() <= SETTINGS.keys():
        found = ", ".join(map(str, [*(content.keys() - SETTINGS.keys())] or content))
        raise InputError(f"expected a parameter file to replace, found {found}", path=path)
    return content


main = command(check_or_compose, "python -m pipeline.params")

if __name__ == "__main__":
    sys.exit(run(main))
