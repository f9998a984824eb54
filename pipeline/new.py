"""Command `new`: a project of one's own, whose stages run the installed code.

`mgsa` and `pipeline` are links there, so that DVC knows the code by its content: an upgrade reruns
the stages whose code it changes.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import mgsa
from mgsa.cli.command import Positional, command
from mgsa.cli.errors import FailedError, InputError
from mgsa.cli.files import PARTIAL, is_utf_8, make_folder, read_text
from mgsa.cli.guard import check_outside_outputs
from mgsa.cli.run import run
from pipeline.params.__main__ import write_parameters
from pipeline.params.presets import compose

CODE = {"mgsa": Path(mgsa.__file__).resolve().parent, "pipeline": Path(__file__).resolve().parent}
LINKS = {**CODE, "experiments/mgsa_code": Path("../mgsa")}
OURS = "python -m pipeline.params"
"""Text by which our `dvc.yaml` differs from those of other projects."""
FOLDERS = ("conf", ".dvc/plots")
FILES = (
    *("dvc.yaml", ".dvcignore", ".gitignore", ".dvc/config", ".dvc/.gitignore"),
    *("data/.gitignore", "data/own/.gitignore", "data/own/README.md", "data/plots/.gitignore"),
    "data/own/treebank/README.md",
    *(f"experiments/{name}" for name in ("dvc.yaml", "params.yaml")),
    *(f"experiments/{name}" for name in (".dvc/config", ".dvc/.gitignore", ".dvcignore")),
    "experiments/.gitignore",
)
README = """\
# {name}

Made by `python -m pipeline.new`; needs `pip install 'mgsa[pipeline]'` (here: {version}).

```console
$ python -m pipeline.new .      # in a fresh clone of this folder: links to the installed code
$ dvc repro                     # the built-in sample: its report is data/report/index.html
$ python -m pipeline.params --write corpus=local parser=stanza  # one's own corpus, in data/own
```
"""


def new(
    *, folders: Annotated[list[Path], Positional("new, empty, or a project to link", "DIR")]
) -> None:
    """Make a project in a folder: pipeline, presets, parameters, git and DVC.

    In a project that is there, a clone of it, say, only the links to the installed code are made.
    """
    for folder in folders:
        if not is_utf_8(str(folder.resolve())):
            raise InputError("expected a name in UTF-8", path=folder)
        check_outside_outputs(folder)
        pipeline = folder / "dvc.yaml"
        is_project = pipeline.is_file() and OURS in read_text(pipeline)
        names = sorted(path.name for path in folder.glob("*"))
        # A temporary folder is of a run that was killed, or that goes on.
        found = ["a file"] * folder.is_file() + [n for n in names if not n.startswith(PARTIAL)]
        if found and not is_project:
            expected = f"expected a new or empty folder, or one whose dvc.yaml runs {OURS}"
            raise InputError(f"{expected}, found {found[0]}", path=folder)
        links = [
            (folder / name, target)
            for name, target in LINKS.items()
            if not is_project or (folder / name).parent.is_dir()
        ]
        for link, target in links:
            is_ours = link.is_symlink() and link.readlink().name == target.name
            if (link.exists() or link.is_symlink()) and not is_ours:
                raise InputError("expected a link to the installed code to replace", path=link)
        if not is_project:
            make_folder(folder)  # kept, as it may be where the user is
            with TemporaryDirectory(prefix=PARTIAL, dir=folder) as filled:
                _fill(Path(filled), folder.resolve().name)
                # By dvc.yaml it is known as a project: it comes when all else is there.
                entries = Path(filled).iterdir()
                for entry in sorted(entries, key=lambda path: path.suffix == ".yaml"):
                    entry.rename(folder / entry.name)
        for link, target in links:
            if link.is_symlink() and (before := link.readlink()) != target:
                print(f"{link}: {target} (before: {before})", file=sys.stderr)
            link.unlink(missing_ok=True)
            link.symlink_to(target)
        print(f"{folder}: `dvc repro` there runs {CODE['pipeline']}", file=sys.stderr)


def _fill(folder: Path, title: str) -> None:
    from importlib.metadata import version

    template = _template()
    try:
        for name in FOLDERS:
            shutil.copytree(template / name, folder / name)
    except shutil.Error as error:  # its first file tells enough
        _, path, reason = error.args[0][0]
        raise FailedError(f"{path}: {reason}") from None
    for path in folder.rglob("*"):  # what is installed may be read-only
        path.chmod(path.stat().st_mode | 0o200)
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(template / name, folder / name)
    with (folder / ".gitignore").open("a", encoding="utf-8") as file:
        file.writelines(f"/{name}\n" for name in LINKS)
    write_parameters(folder / "params.yaml", compose(folder / "conf", []))
    choice = {"size": "tiny", "overrides": []}  # not the clone's last
    write_parameters(folder / "experiments/overrides.yaml", choice)
    readme = README.format(name=title, version=version("mgsa"))
    (folder / "README.md").write_text(readme, encoding="utf-8")
    # In a hook, say, the environment has another repository.
    local = subprocess.check_output(("git", "rev-parse", "--local-env-vars"), text=True).split()
    env = {name: value for name, value in os.environ.items() if name not in local}
    git = ["git", "-C", str(folder)]
    asked = [*git, "config", "user.email"]
    if subprocess.run(asked, capture_output=True, env=env, check=False).returncode:
        git += ["-c", "user.name=mgsa", "-c", "user.email=mgsa@localhost"]
    # Experiments and curves of DVC's want a commit.
    for words in ("init --quiet", "add --all --force", "commit --quiet --message Project"):
        if subprocess.run([*git, *words.split()], env=env, check=False).returncode:
            raise FailedError(f"{title}: git {words} failed")


def _template() -> Path:
    """The folder with the project's files: in a wheel beside this module, else the clone."""
    installed = CODE["pipeline"] / "template"
    return installed if installed.exists() else CODE["pipeline"].parent


main = command(new, "python -m pipeline.new")

if __name__ == "__main__":
    sys.exit(run(main))
