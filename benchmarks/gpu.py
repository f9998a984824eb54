"""All that only a GPU can tell, in one command of six minutes: what is right, and how fast it is.

    python -m benchmarks.gpu --out docs                 # on a GPU, after `make repro`
    python -m benchmarks.gpu --small --out FOLDER       # the same in small, on a CPU too

A part is a command of its own with a time limit, so that one which fails or hangs takes no other
with it. As it ends, a line of JSON is printed, and `gpu.json` and `gpu.md` are written anew. What
lacks a library or a file is skipped, and says so.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.machine import machine
from mgsa.cli.errors import FailedError
from mgsa.cli.files import atomic_file, write_json
from mgsa.cli.run import run
from mgsa.decoding.opened import choose_device

DATASET = "data/dataset"
TRAINING = f"benchmarks.training --config params.yaml --dataset {DATASET}"
SPEED = "benchmarks.model_speed --profile"
CPU_LIMIT = 4
"""Times as long a part may take in small, where nobody pays for minutes."""
KEPT = 2000
"""Characters of the output of a part that failed."""


@dataclass(frozen=True)
class Part:
    """A command, `python -m …`, what it becomes in small, its limit in seconds, what it needs."""

    name: str
    limit: int
    command: str
    small: str
    libraries: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


GPU_TESTS = (
    "tests/mgsa/attention/test_attend.py tests/mgsa/decoding/test_search.py"
    " tests/mgsa/model/test_encoder_decoder.py tests/mgsa/test_device_waits.py"
    " tests/mgsa/training/test_gradients.py"
)
PARTS = (
    Part("ceilings", 20, "benchmarks.machine", ""),
    Part(
        "tests",
        50,
        f"pytest -q -m gpu {GPU_TESTS}",
        "",
        libraries=("pytest", "pytest_timeout", "hypothesis"),
    ),
    Part("gradients", 45, "benchmarks.gradients", "--models Transformer plus RNN"),
    Part(
        "gradients, with cuDNN's attention",
        20,
        "benchmarks.gradients --cudnn-attention --models Transformer plus",
        "",
    ),
    Part(
        "a training that is stopped and resumed",
        90,
        f"{TRAINING} --interrupt --set precision=bf16-mixed checkpoint_every=50 validate_every=100"
        " max_updates=200",
        "--set precision=bf16-mixed checkpoint_every=2 validate_every=4 max_updates=6"
        " validation_sentences=10",
        files=(DATASET,),
    ),
    Part(
        "speed",
        80,
        f"{SPEED} --size base --tokens 16384 --batches 2 --repeats 2"
        " --models ON-LSTM full plus interleaved one key_value torch",
        "--size tiny --tokens 256 --repeats 1 --models plus torch",
    ),
    Part(
        "speed, a vocabulary of a multiple of 64",
        20,
        f"{SPEED} --size base --tokens 16384 --batches 2 --repeats 2 --vocabulary 28608"
        " --models none",
        "--size tiny --tokens 256 --repeats 1 --vocabulary 640",
    ),
    Part(
        "speed, with cuDNN's attention",
        25,
        f"{SPEED} --cudnn-attention --size base --tokens 16384 --batches 2 --repeats 2"
        " --models plus",
        "--size tiny --tokens 256 --repeats 1 --models none",
    ),
    Part(
        "memory",
        60,
        "benchmarks.model_memory --size base --tokens 16384 32768 --models plus",
        "--size tiny --tokens 256",
    ),
    Part(
        "decoding, 120 sentences",
        40,
        "benchmarks.decoding_speed --size base --sentences 120 --repeats 2 --engines --models plus"
        " --precisions bfloat16",
        "--size tiny --sentences 4 --repeats 1",
    ),
    Part(
        "decoding, 1,000 sentences",
        40,
        "benchmarks.decoding_speed --size base --sentences 1000 --repeats 1 --engines --models plus"
        " --precisions bfloat16",
        "--size tiny --sentences 8 --repeats 1",
    ),
    Part(
        "parsing",
        80,
        "benchmarks.parse --sentences 2000 --repeats 1 --workers 8",
        "--sentences 20 --workers 2",
        libraries=("stanza",),
        files=(os.environ.get("MGSA_SHARED", "../shared"),),
    ),
)
"""Six minutes in all on an H200; nine at most."""


def carry_out(part: Part, *, small: bool) -> tuple[dict[str, Any], str]:
    """Run a part: its command, state, seconds and figures, how it failed; and its tables."""
    limit = part.limit * (CPU_LIMIT if small else 1)
    lacking = [name for name in part.libraries if find_spec(name) is None]
    lacking += [name for name in part.files if not Path(name).exists()]
    words = [*part.command.split(), *(part.small.split() if small else [])]
    record: dict[str, Any] = {"part": part.name, "command": f"python -m {' '.join(words)}"}
    if lacking:
        return {**record, "state": f"skipped, without {', '.join(lacking)}"}, ""
    with tempfile.TemporaryDirectory(prefix="gpu-") as folder:
        file, log = Path(folder) / "figures.json", Path(folder) / "log"
        if words[0].startswith("benchmarks"):
            words += ["--json", str(file), "--accelerator", "auto" if small else "gpu"]
        begin = time.monotonic()
        with log.open("w") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", *words], stdout=out, stderr=out, start_new_session=True
            )
        try:
            state = "failed" if process.wait(limit) else "done"
        except subprocess.TimeoutExpired:
            state = f"stopped after {limit} s"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # and what it started
            process.wait()
        output = log.read_text("utf-8", errors="replace")
        record |= {"state": state, "seconds": round(time.monotonic() - begin, 1)}
        if file.exists() and state in ("done", "failed"):
            record["figures"] = json.loads(file.read_text("utf-8"))
    if state != "done" or "figures" not in record:
        record["output"] = output[-KEPT:]
    return record, "\n".join(re.findall(r"(?:^\|.*\n)+", output, re.MULTILINE))


def markdown(about: dict[str, object], ended: Sequence[tuple[dict[str, Any], str]]) -> str:
    """The page: what ran where, then each part with its table, or with its figures."""
    where = ", ".join(f"{name} {value}" for name, value in about.items())
    lines = ["# On a GPU", "", f"Made by `make gpu`: {where}."]
    lines += ["", "| part | state | seconds |", "| --- | --- | ---: |"]
    lines += [f"| {r['part']} | {r['state']} | {r.get('seconds', '')} |" for r, _ in ended]
    for record, table in ended:
        title = record["part"][0].upper() + record["part"][1:]
        lines += ["", f"## {title}", "", f"`{record['command']}`", ""]
        if table:
            lines.append(table)
        elif "figures" in record:
            lines += ["```json", json.dumps(record["figures"], indent=2), "```"]
        if "output" in record:
            lines += ["```text", record["output"].strip(), "```"]
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    """Carry out the parts, and write what came of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--small", action="store_true", help="in small, on a CPU too")
    parser.add_argument("--parts", nargs="*", help="parts of the names of those to carry out")
    arguments = parser.parse_args(argv)
    device = choose_device("auto" if arguments.small else "gpu")
    about = machine(device)
    ended: list[tuple[dict[str, Any], str]] = []
    for part in PARTS:
        if arguments.parts and not any(word in part.name for word in arguments.parts):
            continue
        ended.append(carry_out(part, small=arguments.small))
        records = [record for record, _ in ended]
        print(json.dumps(records[-1]), flush=True)
        write_json(arguments.out / "gpu.json", {**about, "parts": records})
        with atomic_file(arguments.out / "gpu.md") as file:
            file.write(markdown(about, ended))
    bad = [r["part"] for r, _ in ended if r["state"].split()[0] in ("failed", "stopped")]
    if bad:
        raise FailedError(f"{len(bad)} of {len(ended)} parts: {'; '.join(bad)}")


if __name__ == "__main__":
    sys.exit(run(main))
