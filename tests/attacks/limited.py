"""Runs the command in a subprocess with limits on memory and CPU time, and measures what it used.

An intermediate process that imports nothing large starts it, because the peak memory of a process is never below
that of the process that started it.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from typing import NamedTuple

ADDRESS_LIMIT = 1_500_000_000
"""Limit of address space in bytes; libraries map far more than they use."""


class Used(NamedTuple):
    """Result of a run. cpu: seconds of all its processes; memory: peak in bytes."""

    code: int
    cpu: float
    memory: int
    output: str
    errors: str


def run(arguments: list[str], folder: str, seconds: int) -> Used:
    """Runs `inspector` with these arguments in a folder. The exit code is negative where a signal ended it.

    seconds: of CPU time after which the system ends the process.
    """
    import subprocess
    from pathlib import Path

    root = Path(__file__).parents[2]
    own = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-S", str(Path(__file__)), str(seconds), sys.executable, "-m", "inspector", *arguments]
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, check=True)
    measured, _, rest = done.stdout.partition(b"\n")
    code, cpu, memory, length = json.loads(measured)
    return Used(code, cpu, memory, rest[:length].decode(), rest[length:].decode())


def _main(seconds: int, command: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        actions = [(os.POSIX_SPAWN_DUP2, output.fileno(), 1), (os.POSIX_SPAWN_DUP2, errors.fileno(), 2)]
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_LIMIT, ADDRESS_LIMIT))
        process = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
        _, status, used = os.wait4(process, 0)
        code = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        printed = output.read()
        head = json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, len(printed)])
        sys.stdout.buffer.write(head.encode() + b"\n" + printed + errors.read())


if __name__ == "__main__":
    _main(int(sys.argv[1]), sys.argv[2:])
