"""The whole pipeline in a folder with an odd name, for who may not write to their HOME."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from mgsa.base.cli import DONE
from tests.dvc_project import STAGES, copy_project, ran
from tests.file_permissions import let_modes_count

pytestmark = pytest.mark.soak


def test_the_pipeline_runs_there(tmp_path: Path) -> None:
    place = tmp_path / "Wörter & Bäume \u6728"
    place.mkdir()
    project = copy_project(place)
    project.compose()
    home = Path(project.environment["HOME"])
    before = sorted(home.rglob("*"))
    # Elsewhere it is in /var/tmp, where anybody may write.
    environment = project.environment | {"DVC_SITE_CACHE_DIR": str(place / "site")}
    home.chmod(0o555)
    done = subprocess.run(
        ["dvc", "repro"],
        cwd=project.folder,
        env=environment,
        text=True,
        capture_output=True,
        check=False,
        preexec_fn=let_modes_count,
    )
    assert done.returncode == DONE, done.stdout + done.stderr
    assert sorted(ran(done.stdout)) == sorted(STAGES)
    assert sorted(home.rglob("*")) == before
    again = replace(project, environment=environment).run("dvc", "repro")
    assert ran(again) == []
