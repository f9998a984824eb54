"""Stage `report`: one HTML file about a run, or about several systems side by side.

It needs no network and no server, and it shows the numbers of the files that the stages wrote, so
`dvc plots show` and `dvc metrics diff` tell the same.
"""

import sys
from pathlib import Path
from typing import Annotated

from mgsa.cli.command import Input, OutputFolder, ParameterFile
from mgsa.cli.errors import InputError
from mgsa.cli.files import open_to_write
from mgsa.cli.outputs import atomic_folder
from mgsa.cli.run import run
from mgsa.cli.settings import read_yaml
from pipeline.report.inputs import FOLDERS, Inputs, System, existing
from pipeline.report.settings import ReportSettings
from pipeline.stage.command import stage

PAGE = "index.html"


def write_report(
    report: ReportSettings,
    *,
    params: Annotated[Path, ParameterFile()],
    data: Annotated[
        Path | None,
        Input("outputs of the stages, laid out as the project's data", parts=[*FOLDERS.values()]),
    ] = None,
    system: Annotated[
        dict[str, Path] | None,
        Input(
            "systems to compare, folders such as experiments/runs/SIZE/NAME; DIR alone is named by "
            "its last part",
            "NAME=DIR",
        ),
    ] = None,
    table: Annotated[
        list[Path] | None,
        Input("tables of pipeline.experiment: experiments/tables/SIZE/NAME.json", "FILE"),
    ] = None,
    out: Annotated[Path, OutputFolder(f"{PAGE}, which is all of it", "report page")],
) -> None:
    """One HTML file about a run, or about systems side by side.

    A section whose inputs are missing is left out.
    """
    from pipeline.report.page import render

    if not (data or system or table):
        raise InputError("expected --data, --system or --table, of which to report")
    if data is not None and not data.is_dir():
        raise InputError("--data: no such folder", path=data)
    paths = existing({name: data / place for name, place in FOLDERS.items()}) if data else {}
    if data is not None and not paths:
        raise InputError("--data: expected outputs of stages", path=data)
    systems = [System.in_folder(name, folder) for name, folder in (system or {}).items()]
    own = System.of_run(paths)
    if not own.is_empty:
        if own.name in (system or {}):
            raise InputError(f"--system {own.name}: expected another name, the run's model has it")
        systems.insert(0, own)
    parameters = None if own.is_empty and (system or table) else read_yaml(params)
    page = render(Inputs(report, parameters, paths, systems, table or []))
    with atomic_folder(out) as folder, open_to_write(folder / PAGE) as file:
        file.write(page.encode("utf-8", "backslashreplace").decode())  # paths may be no UTF-8


main = stage(write_report)


if __name__ == "__main__":
    sys.exit(run(main))
