"""What a team shares: pushed to a folder, over SSH and to S3, and used in clones elsewhere."""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from mgsa.base.io import read_json
from pipeline.base.stage import SPLITS
from tests.dvc_project import STAGES, Project, hashes_of, ran
from tests.remote_servers import LOOPBACK, s3_server, ssh_server
from tests.team import Team, found_team

pytestmark = pytest.mark.slow

UP_TO_DATE = "Data and pipelines are up to date."


@dataclass(frozen=True)
class Remote:
    """A place that git knows by its address alone, and two ways to say who one is.

    Attributes:
        url: committed, for everybody.
        options: of the remote, for `.dvc/config.local` of a clone; the last one is the secret.
        refusal: what DVC says to whoever lacks the secret.
        variables: the same as the options, for the environment.
        ssh_config: the same, for `~/.ssh/config`.
    """

    url: str
    options: Mapping[str, str] = field(default_factory=dict)
    refusal: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    ssh_config: str = ""

    def known_to(self, project: Project) -> Project:
        """The project of somebody whose environment says who they are."""
        folder = Path(project.environment["HOME"]) / ".ssh"
        folder.mkdir()
        (folder / "config").write_text(self.ssh_config, "utf-8")
        return replace(project, environment=project.environment | self.variables)


@pytest.fixture(scope="module", params=["folder", "ssh", "s3"])
def remote(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Remote]:
    """An empty remote of each kind; its server runs."""
    folder = tmp_path_factory.mktemp(request.param)
    match request.param:
        case "folder":
            yield Remote(str(folder))
        case "ssh":
            with ssh_server(folder) as ssh:
                yield Remote(
                    f"ssh://{LOOPBACK}{folder}/storage",
                    {"port": str(ssh.port), "user": ssh.user, "keyfile": str(ssh.keyfile)},
                    f"Permission denied for user {ssh.user}",
                    ssh_config=f"Host {LOOPBACK}\n  Port {ssh.port}\n  User {ssh.user}\n"
                    f"  IdentityFile {ssh.keyfile}\n",
                )
        case "s3":
            with s3_server(folder) as s3:
                yield Remote(
                    f"s3://{s3.bucket}/mgsa",
                    {
                        "endpointurl": s3.endpoint,
                        "access_key_id": s3.access_key_id,
                        "secret_access_key": s3.secret_access_key,
                    },
                    "Partial credentials found",
                    {
                        "AWS_ENDPOINT_URL": s3.endpoint,
                        "AWS_ACCESS_KEY_ID": s3.access_key_id,
                        "AWS_SECRET_ACCESS_KEY": s3.secret_access_key,
                    },
                )


@pytest.fixture(scope="module")
def team(remote: Remote, reproduced: Project, tmp_path_factory: pytest.TempPathFactory) -> Team:
    """A team that has pushed its results to the remote, once the secret was known."""
    *public, secret = remote.options.items() or [("", "")]
    team = found_team(reproduced, tmp_path_factory.mktemp("team"), remote.url, dict(public))
    if remote.refusal:
        assert remote.refusal in team.first.run("dvc", "push", status=255)
        team.first.run("dvc", "remote", "modify", "--local", "team", *secret)
    team.publish()
    return team


def test_a_clone_elsewhere_pulls_all_and_runs_nothing(
    team: Team, remote: Remote, tmp_path: Path
) -> None:
    clone = remote.known_to(team.clone(tmp_path))
    clone.run("dvc", "pull")
    said = clone.run("dvc", "repro")
    assert ran(said) == []
    assert UP_TO_DATE in said
    assert hashes_of(clone, list(STAGES)) == hashes_of(team.first, list(STAGES))
    assert clone.run("git", "status", "--porcelain") == ""


def test_an_identical_experiment_is_fetched_not_run(
    team: Team, remote: Remote, tmp_path: Path
) -> None:
    """Whoever has not seen the results, but asks for the same, gets them by the cache of runs."""
    clone = remote.known_to(team.clone(tmp_path))
    clone.run("git", "checkout", "--quiet", "HEAD~1")
    assert not (clone.folder / "dvc.lock").exists()
    clone.compose()
    # What the composition says is said in every clone: git keeps it, so DVC does not.
    assert ran(clone.run("dvc", "repro", "--pull")) == ["params"]
    assert hashes_of(clone, list(STAGES)) == hashes_of(team.first, list(STAGES))
    # Nothing of where the clone lies, or of when it was made, is in what the team compares by.
    locks = [project.folder / "dvc.lock" for project in (clone, team.first)]
    assert locks[0].read_text("utf-8") == locks[1].read_text("utf-8")
    assert ran(clone.run("dvc", "repro")) == []


def test_metrics_need_no_pull(team: Team, remote: Remote, tmp_path: Path) -> None:
    clone = remote.known_to(team.clone(tmp_path))
    name = "data/reports/evaluate.json"
    shown = clone.run("dvc", "metrics", "show", name)
    assert not (clone.folder / name).exists()
    assert re.search(rf" {read_json(team.first.folder / name)['bleu']}\b", shown), shown
    assert clone.run("dvc", "metrics", "diff", "HEAD", "HEAD") == ""


def test_git_keeps_no_credentials(team: Team, remote: Remote) -> None:
    assert "url = " in team.first.run("git", "show", "HEAD:.dvc/config")
    for name, value in remote.options.items():
        line = f"{name} = {value}"
        said = team.first.run("git", "grep", "--fixed-strings", "-e", line, "HEAD", status=1)
        assert said == ""


def test_what_belongs_to_a_machine_is_not_pushed(team: Team, remote: Remote) -> None:
    """What parsing remembers, and the states of optimizers, which only checkpoints have."""
    if remote.options:
        pytest.skip("a remote of another kind gets the same")
    data = team.first.folder / "data"
    own = [data / "parse_memory.sqlite", *data.glob("checkpoints/*/optimizer.safetensors")]
    hashes = {hashlib.md5(path.read_bytes()).hexdigest() for path in own}
    assert len(hashes) > 1
    pushed = {path.parent.name + path.name for path in Path(remote.url).glob("files/md5/*/*")}
    assert pushed
    assert not pushed & hashes


def test_a_copied_memory_saves_a_clone_the_parsing(
    team: Team, remote: Remote, tmp_path: Path
) -> None:
    if remote.options:
        pytest.skip("a remote of another kind gives the same text")
    clone, memory = team.clone(tmp_path), "data/parse_memory.sqlite"
    clone.run("dvc", "pull", "data/tokenized", "data/parser")
    shutil.copy(team.first.folder / memory, clone.folder / memory)
    said = clone.run(*shlex.split(STAGES["parse"]["cmd"]))
    assert ", 0 parsed now" in said
    assert hashes_of(clone, ["parse"]) == hashes_of(team.first, ["parse"])


def test_ones_own_corpus_is_shared_too(reproduced: Project, tmp_path: Path) -> None:
    """Git ignores it; `dvc add` leaves a small file in its stead that git keeps."""
    team = found_team(reproduced, tmp_path, str(tmp_path / "storage"), {})
    first, texts = team.first, {"en": "A man sleeps.\n", "de": "Ein Mann schläft.\n"}
    names = [f"data/own/{split}.{language}" for split in SPLITS for language in texts]
    for name in names:
        (first.folder / name).write_text(texts[name[-2:]], "utf-8")
    first.run("dvc", "add", *names)
    own = ("corpus=local", "parser=none", "model=transformer_tiny")
    first.run("python", "-m", "pipeline.params", "--write", *own)
    assert {*ran(first.run("dvc", "repro", "parse"))} == {"corpus", "tokenize", "parser", "parse"}
    first.commit()
    team.publish()
    clone = team.clone(tmp_path)
    clone.run("dvc", "pull", "--with-deps", "parse")
    assert ran(clone.run("dvc", "repro", "parse")) == []
    for name in names:
        assert (clone.folder / name).read_text("utf-8") == texts[name[-2:]]
