r"""A training to its end: seconds, tokens a second, validation scores; and a stopped one, resumed.

    python -m benchmarks.training --config params.yaml --dataset data/dataset --interrupt \
        --set precision=bf16-mixed max_updates=200

With --interrupt the same command runs again into another folder, is sent SIGTERM once it has a
checkpoint, and resumes: on a CPU weights must be the same bit for bit; on a GPU, where sums have no
fixed order, the difference is reported.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from safetensors.torch import load_file

from benchmarks.machine import device_parser, machine
from mgsa.cli.errors import FailedError
from mgsa.cli.files import write_json
from mgsa.cli.run import TERMINATED, run
from mgsa.decoding.opened import choose_device
from mgsa.training.checkpoint import saved_updates


def train(command: Sequence[str], out: Path) -> dict[str, float]:
    """Run the command to its end; what it prints, and seconds."""
    begin = time.perf_counter()
    words = [*command, "--out", str(out)]
    ended = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    if ended.returncode:
        raise FailedError(f"a training ended with status {ended.returncode}")
    seconds = time.perf_counter() - begin
    printed = (line.split("\t") for line in ended.stdout.splitlines())
    return {"seconds": seconds, **{name: float(value) for name, value in printed}}


def interrupt(command: Sequence[str], out: Path) -> int:
    """Run the command, and stop it after its first checkpoint; the update that was reached."""
    checkpoints = out.with_name(f"{out.name}.checkpoints")
    process = subprocess.Popen([*command, "--out", str(out)], stdout=subprocess.DEVNULL)
    while process.poll() is None and not saved_updates(checkpoints):
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    if process.wait() != TERMINATED:
        raise FailedError(f"expected status {TERMINATED} after SIGTERM, got {process.returncode}")
    return saved_updates(checkpoints)[-1]


def largest_difference(one: Path, other: Path) -> float:
    """Largest difference between the weights of two model artifacts."""
    ours, theirs = (load_file(folder / "model.safetensors") for folder in (one, other))
    return max(float((ours[name] - theirs[name]).abs().max()) for name in ours)


def main(argv: Sequence[str] | None = None) -> None:
    """Train, and print the figures as JSON."""
    parser = device_parser(__doc__)
    parser.add_argument("--config", type=Path, required=True, metavar="FILE")
    parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE")
    parser.add_argument("--dataset", type=Path, required=True, metavar="DIR")
    parser.add_argument("--interrupt", action="store_true", help="also stop one, and resume it")
    arguments = parser.parse_args(argv)
    device = choose_device(arguments.accelerator)
    command = [sys.executable, "-m", "mgsa", "train", "--config", str(arguments.config)]
    for setting in arguments.set:
        command += ["--set", setting]
    command += ["--dataset", str(arguments.dataset), "--accelerator", arguments.accelerator]
    figures: dict[str, object] = {**machine(device), "settings": arguments.set}
    with tempfile.TemporaryDirectory(prefix="training-") as name:
        whole, resumed = Path(name) / "whole", Path(name) / "resumed"
        figures["training"] = train(command, whole)
        if arguments.interrupt:
            figures["interrupted_at"] = interrupt(command, resumed)
            figures["resumed"] = train(command, resumed)
            figures["largest_difference"] = difference = largest_difference(whole, resumed)
    print(json.dumps(figures, indent=2))
    if arguments.json:
        write_json(arguments.json, figures)
    if arguments.interrupt and difference and device.type == "cpu":
        raise FailedError(f"the resumed training's weights differ, by {difference} at most")


if __name__ == "__main__":
    sys.exit(run(main))
