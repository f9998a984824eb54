"""What every command shares: its exit status, its one line of error, its progress."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from mgsa.cli.errors import InputError
from mgsa.cli.progress import progress
from mgsa.cli.run import BAD_INPUT, DONE, FAILED, INTERRUPTED, TERMINATED, markdown_text, run
from tests.imports import ROOT

NO_ROOM = "out of memory; smaller batches or a smaller model need less"


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (None, DONE, ""),
        (InputError("expected b", path="a.txt", line=3), BAD_INPUT, "a.txt:3: expected b"),
        (OSError(28, "No space left on device"), FAILED, "stdout: No space left on device"),
        (PermissionError(13, "Permission denied", "out"), FAILED, "out: Permission denied"),
        (InputError("a\nb \x1b[2J\u2028 \ud800 ü"), BAD_INPUT, r"a\nb \x1b[2J\u2028 \ud800 ü"),
        (InputError("a" * 5000), BAD_INPUT, f"{'a' * 2000}…"),
        (MemoryError(), FAILED, NO_ROOM),
        (torch.OutOfMemoryError("CUDA out of memory"), FAILED, NO_ROOM),
        (RuntimeError("std::bad_alloc"), FAILED, NO_ROOM),
        (RuntimeError("could not create a primitive"), FAILED, NO_ROOM),
        (ImportError("x.so: failed to map segment from shared object"), FAILED, NO_ROOM),
        (SystemError("error return without exception set"), FAILED, NO_ROOM),
        (KeyboardInterrupt(), INTERRUPTED, "interrupted"),
    ],
    ids=str,
)
def test_the_status_and_the_line_of_an_error(
    capsys: pytest.CaptureFixture[str], error: BaseException | None, status: int, line: str
) -> None:
    def main(argv: Sequence[str] | None) -> None:
        assert argv == ["x"]
        if error is not None:
            raise error

    assert run(main, ["x"]) == status
    assert capsys.readouterr().err == (f"error: {line}\n" if line else "")


def test_sigterm_lets_a_command_clean_up(capsys: pytest.CaptureFixture[str]) -> None:
    left = []

    def main(_: Sequence[str] | None) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            left.append("cleanly")

    before = signal.getsignal(signal.SIGTERM)
    assert run(main) == 128 + signal.SIGTERM
    assert left == ["cleanly"]
    assert capsys.readouterr().err == "error: terminated\n"
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("bug", [ValueError("a bug"), RuntimeError("a bug")], ids=repr)
def test_a_bug_keeps_its_traceback(bug: Exception) -> None:
    def main(_: Sequence[str] | None) -> None:
        raise bug

    with pytest.raises(type(bug), match="a bug"):
        run(main)


def printing(lines: int) -> list[str]:
    """A command that prints so many lines."""
    code = "import sys; from mgsa.cli.run import run\n"
    code += f"sys.exit(run(lambda argv: [print(i) for i in range({lines})] and None))"
    return [sys.executable, "-c", code]


def test_work_goes_on_without_a_reader_of_stderr(tmp_path: Path) -> None:
    code = "import sys, pathlib; from mgsa.cli.run import run\n"
    code += "work = lambda argv: [print(i, file=sys.stderr) for i in range(100_000)]\n"
    code += (
        f"sys.exit(run(lambda argv: work(argv) and pathlib.Path({str(tmp_path / 'a')!r}).touch()))"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stderr=pipe, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "0\n"
        process.stderr.close()
    assert process.returncode == DONE
    assert (tmp_path / "a").exists()


def test_a_reader_that_went_away_is_no_error() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(printing(100_000), stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "0\n"
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == DONE


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("lines", [1, 100_000], ids=["noticed at the end", "noticed on the way"])
def test_a_full_disk_under_stdout_is_one_line(lines: int) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(printing(lines), stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (FAILED, "error: stdout: No space left on device\n")


def in_a_shell(command: str) -> subprocess.CompletedProcess[str]:
    words = ["bash", "-c", command]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60)


def test_a_line_that_a_full_disk_cuts_is_an_error_without_buffers_too(tmp_path: Path) -> None:
    code = (
        "import sys; from mgsa.cli.run import run\n"
        "def main(argv): sys.stdout.buffer.write(b'x' * 5000)\n"
        "sys.exit(run(main))"
    )
    command = f'ulimit -f 1; exec "{sys.executable}" -u -B -c "{code}" > "{tmp_path}/out"'
    done = in_a_shell(command)
    assert (done.returncode, done.stderr) == (FAILED, "error: stdout: File too large\n")


def test_a_user_without_a_home_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/before")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError))
    assert run(lambda _: None) == DONE
    assert os.environ["HOME"] == "/"


def test_help_that_nobody_gets_is_an_error() -> None:
    command = [sys.executable, "-m", "pipeline.evaluate", "--help"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (FAILED, "error: stdout: No space left on device\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_closed_stream_is_one_line(closed: str) -> None:
    """Also if a file is opened first, which would else have the stream's number."""
    code = (
        "import sys; from mgsa.cli.run import run\n"
        "def main(argv):\n"
        "    with open('/dev/zero'): print(sys.stdin.read(), flush=True)\n"
        "sys.exit(run(main))"
    )
    command = f'"{sys.executable}" -c "{code}" < /dev/null {closed}'
    done = in_a_shell(command)
    said = (done.returncode, done.stdout, done.stderr)
    assert said == (FAILED, "", "error: a closed stdin or stdout: Bad file descriptor\n")


def test_text_in_a_card_ends_no_cell_and_is_no_markup() -> None:
    expected = r"a \| &lt;b&gt;: \[x\](y) \`c\` WMT-14, e_2"
    assert markdown_text("a | <b>: [x](y) `c` WMT-14, e_2") == expected


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, TERMINATED)]
)
def test_a_signal_ends_the_command_also_if_it_comes_where_exceptions_are_dropped(
    number: signal.Signals, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    class Signalled:
        def __del__(self) -> None:
            signal.raise_signal(number)

    def main(_argv: Sequence[str] | None) -> None:
        Signalled()
        for _ in range(1000):
            time.sleep(0.01)

    assert run(main, []) == status
    assert "Traceback" not in capsys.readouterr().err


def test_progress_is_quiet_in_logs_and_shows_count_and_rate_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    items = [[1, 2], [3]]
    assert list(progress(items, "count", total=3, unit="things", size=len)) == items
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(progress(items, "count", total=3, unit="things", size=len)) == items
    said = capsys.readouterr().err
    assert "3/3" in said
    assert "things/s" in said
    assert list(progress(items, "count", total=None, unit="things", size=len)) == items
    assert "3/?" in capsys.readouterr().err


def test_ctrl_c_is_silent_while_a_command_is_imported(tmp_path: Path) -> None:
    """And interrupts the command after that; who imports `pipeline` otherwise keeps a handler."""
    (tmp_path / "annotated_types.py").write_text("import signal; signal.raise_signal(2)")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/__main__.py").touch()
    (tmp_path / "theirs/__init__.py").write_text(
        "import signal, pipeline\n"
        "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)\n"
        "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
        "from mgsa.cli.run import run\n"
        "run(lambda argv: print(signal.getsignal(signal.SIGINT) is signal.default_int_handler))"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    silent, imported = (
        subprocess.run(
            [sys.executable, "-m", module], env=environment, capture_output=True, text=True
        )
        for module in ("pipeline.corpus", "theirs")
    )
    assert (silent.returncode, silent.stderr) == (-signal.SIGINT, "")
    assert imported.stdout.split() == ["True", "True"], imported.stderr


@pytest.mark.skipif(not Path("/proc/stat").is_file(), reason="no Linux")
def test_busy_cores_are_seen() -> None:
    """Of cores of one's own alone."""
    alone = "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
    look = "from mgsa.cli.run import set_omp_wait_policy as spare; spare()"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OMP_")}
    with subprocess.Popen([sys.executable, "-c", f"{alone}while True: pass"]) as busy:
        time.sleep(0.5)
        command = [sys.executable, "-c", alone + look]
        found = subprocess.run(command, env=environment, stderr=subprocess.PIPE, check=False)
        busy.kill()
    assert b"threads wait asleep" in found.stderr
