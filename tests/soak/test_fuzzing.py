"""Readers of trees and links under a fuzzer that sees which code an input reaches."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.imports import ROOT

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3000)]

RUNS, SAMPLE = 100_000, 10_000
SECONDS_OF_ONE, MEGABYTES = 60, 2048
"""What one input may take."""
SEEDS = {
    "trees": [
        b"(ROOT (S (NP (NNP Bush)) (VP (VBD spoke))))\n( (S\n    (NP-SBJ (DT the)\n (NN dog))))\n",
        "(TOP (-LRB- -LRB-) (NN 1\u00a0000\u2028))\r\n".encode(),
    ],
    "links": [b"0-0 1-2 10-3", b"1-1 2p3 4-5", b" 0-0\t1-1 "],
}


@pytest.mark.parametrize("target", SEEDS)
def test_whatever_is_read(target: str, sampled: bool, tmp_path: Path) -> None:
    pytest.importorskip("atheris")
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    for number, seed in enumerate(SEEDS[target]):
        (seeds / str(number)).write_bytes(seed)
    runs = SAMPLE if sampled else RUNS
    options = {
        "runs": runs,
        "seed": 1,
        "max_len": 4096,
        "timeout": SECONDS_OF_ONE,
        "rss_limit_mb": MEGABYTES,
        "artifact_prefix": f"{tmp_path}/",
    }
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.fuzz_targets", target, str(seeds)),
            *(f"-{option}={value}" for option, value in options.items()),
        ],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert f"Done {runs} runs" in done.stderr
    # It found its way: more inputs than it was given reach code that no other one does.
    kept = re.findall(r" corp: (\d+)/", done.stderr)
    assert int(kept[-1]) > len(SEEDS[target])
