"""Exit codes of the command when its output cannot be written, and when it receives a signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.judged import FIXTURES

ROOT = Path(__file__).parent.parent.parent
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shells and signals of POSIX")

CALLS = {
    "--version": 0, "--help": 0, "explain C310": 0, "schema audit": 0, "formula llama": 0, "audit small-llama": 0,
    "tensors small-llama --all -f json": 0, "audit my-finetune": 1, "audit my-finetune -f json": 1,
    "compare small-llama half-converted": 1, "mend my-finetune": 1, "audit absent": 3,
}  # fmt: skip
"""Arguments -> the exit code where the output can be written."""
NOT_WRITABLE = {">/dev/full": "No space left on device", ">&-": "it is closed"}
"""Redirection of the output -> part of the single line on standard error. The exit code is 2."""
CLOSED_EARLY = ("| head -c 1 >/dev/null", "| true", "2>/dev/full", "2>&-", "<&-")
"""Redirections that do not change the exit code."""


def shell(arguments: str, redirection: str) -> tuple[int, str]:
    """(exit code of the command, its standard error)."""
    line = f'"{sys.executable}" -m inspector {arguments} {redirection}'
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        cwd=FIXTURES / "checkpoints",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.thinned
@pytest.mark.parametrize("redirection", [*NOT_WRITABLE, *CLOSED_EARLY])
@pytest.mark.parametrize(
    "arguments",
    [pytest.param(one, marks=() if one in ("--help", "audit my-finetune") else pytest.mark.slow) for one in CALLS],
)
def test_output_that_cannot_be_written(arguments: str, redirection: str) -> None:
    if redirection == ">/dev/full" and not os.path.exists("/dev/full"):
        pytest.skip("no device that is full")
    code, errors = shell(arguments, redirection)
    reason = NOT_WRITABLE.get(redirection)
    assert code == (CALLS[arguments] if reason is None else 2)
    if reason is not None:
        assert errors == f"inspector: standard output: {reason}\n"
    assert "Traceback" not in errors and "internal error" not in errors


def test_a_report_in_a_file_needs_no_standard_output(tmp_path: Path) -> None:
    assert shell(f"audit my-finetune -o {tmp_path}/report.txt", ">&-") == (1, "")
    assert "error[S203]" in (tmp_path / "report.txt").read_text(encoding="utf-8")


STOPPED = """
import os, signal, sys
class Stop:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), {number})
signal.signal(signal.SIGINT, signal.default_int_handler)  # which jobs in the background of a shell ignore
sys.meta_path.insert(0, Stop())
sys.argv = ["inspector", "audit", "my-finetune"]
from inspector.__main__ import main
main()
"""
"""Runs the command in a process that receives a signal when it imports a module."""
MODULES = (
    "inspector.cli", "inspector.cli.streams", "inspector.cli.verbs", "inspector.auditing.start", "json",
    "inspector.architectures.text.llama", "inspector.reconciler.inverse.causes", "inspector.report.text",
)  # fmt: skip
"""Modules that an audit imports, from the first one on."""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(
    "module", [pytest.param(one, marks=() if one == MODULES[0] else pytest.mark.complete) for one in MODULES]
)
def test_a_signal_at_any_import(module: str, number: signal.Signals, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STOPPED.format(module=module, number=int(number))],
        cwd=FIXTURES / "checkpoints",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert done.stderr == ""
