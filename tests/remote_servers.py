"""Real servers on loopback that DVC's remotes are on: OpenSSH, and one that speaks S3."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

LOOPBACK = "127.0.0.1"
SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
"""Where servers lie, which are on the PATH of few."""


@dataclass(frozen=True)
class SSHServer:
    """A server that lets its user in by a key, to move files and nothing else."""

    port: int
    user: str
    keyfile: Path


@dataclass(frozen=True)
class S3Server:
    """A server with one bucket, and the key that its policy lets in."""

    endpoint: str
    bucket: str
    access_key_id: str
    secret_access_key: str


@contextmanager
def ssh_server(folder: Path) -> Iterator[SSHServer]:
    """Run OpenSSH as whoever runs the tests, with a configuration and keys of its own in `folder`.

    Skips the test where there is no `sshd`.
    """
    sshd = shutil.which("sshd", path=os.pathsep.join((os.environ["PATH"], *SYSTEM_FOLDERS)))
    if sshd is None:
        pytest.skip("no sshd: install OpenSSH's server (apt-get install openssh-server)")
    if os.geteuid() == 0:  # the service makes the folder when it starts, and none runs here
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    for name in ("host_key", "key"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(command, check=True)
    shutil.copy(folder / "key.pub", folder / "authorized_keys")
    port = free_port()
    settings = {
        "ListenAddress": LOOPBACK,
        "Port": port,
        "HostKey": folder / "host_key",
        "AuthorizedKeysFile": folder / "authorized_keys",
        "PidFile": folder / "sshd.pid",
        "StrictModes": "no",  # anybody may write to /tmp, where the folder lies
        "UsePAM": "no",
        "PasswordAuthentication": "no",
        "KbdInteractiveAuthentication": "no",
        "Subsystem": "sftp internal-sftp",
        "ForceCommand": "internal-sftp",
    }
    lines = [f"{name} {value}\n" for name, value in settings.items()]
    (folder / "sshd_config").write_text("".join(lines), "utf-8")
    with _running([sshd, "-D", "-e", "-f", str(folder / "sshd_config")], folder / "sshd.log", port):
        yield SSHServer(port, getpass.getuser(), folder / "key")


@contextmanager
def s3_server(folder: Path) -> Iterator[S3Server]:
    """Run moto's server, which checks keys and signatures once the team's key is made.

    Skips the test where moto is not installed.
    """
    boto3 = pytest.importorskip("boto3", reason="moto is not installed (extra `slow`)")
    from botocore.config import Config

    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", LOOPBACK, "-p", str(port)]
    unchecked = 4  # calls, those below; then each needs a key that they made
    environment = os.environ | {"INITIAL_NO_AUTH_ACTION_COUNT": str(unchecked)}
    with _running(command, folder / "moto.log", port, environment):
        endpoint = f"http://{LOOPBACK}:{port}"

        def client(service: str) -> Any:
            return boto3.client(
                service,
                endpoint_url=endpoint,
                region_name="us-east-1",
                aws_access_key_id="nobody",
                aws_secret_access_key="nobody",
                config=Config(proxies={}),
            )

        iam = client("iam")
        iam.create_user(UserName="team")
        key = iam.create_access_key(UserName="team")["AccessKey"]
        statement = '{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}'
        policy = f'{{"Version": "2012-10-17", "Statement": [{statement}]}}'
        iam.put_user_policy(UserName="team", PolicyName="storage", PolicyDocument=policy)
        client("s3").create_bucket(Bucket="team")
        yield S3Server(endpoint, "team", key["AccessKeyId"], key["SecretAccessKey"])


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.create_server((LOOPBACK, 0)) as listener:
        return listener.getsockname()[1]


@contextmanager
def _running(
    command: list[str], log: Path, port: int, environment: dict[str, str] | None = None
) -> Iterator[None]:
    """A server, from when it answers on its port to when the block ends."""
    with log.open("w") as said:
        process = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
    try:
        while not _answers(port):
            assert process.poll() is None, log.read_text("utf-8")
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


def _answers(port: int) -> bool:
    try:
        socket.create_connection((LOOPBACK, port), timeout=1).close()
    except OSError:
        return False
    return True
