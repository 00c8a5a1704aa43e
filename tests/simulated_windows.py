"""Runs command lines in one process that simulates Windows: without POSIX-only functions, with Windows paths.

The files, which appear on drive `C:`, and the start of Python itself are those of the real system.
Standard input: a JSON list of command lines. Standard output: a JSON list of [exit code, report, errors].
"""

from __future__ import annotations

import builtins
import errno
import io
import json
import ntpath
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from typing import Any, Final

POSIX_ONLY: Final = (
    "pread preadv pwrite pwritev readv writev fork forkpty register_at_fork mkfifo mknod chown fchown lchown chroot "
    "fchdir getuid geteuid getgid getegid getgroups getpgid getpgrp getsid setsid setuid setgid getresuid getresgid "
    "sysconf statvfs fstatvfs nice uname posix_fadvise posix_fallocate posix_spawn sendfile splice wait wait3 wait4 "
    "waitid killpg openpty pipe2 lockf getloadavg sync fdatasync confstr ctermid sched_getaffinity "
    "sched_setaffinity sched_yield memfd_create eventfd O_NONBLOCK O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NOCTTY O_NDELAY "
    "O_SYNC O_DSYNC O_PATH O_NOATIME O_DIRECT O_TMPFILE WNOHANG"
)
"""Names that `os` has on Linux and not on Windows (documentation of Python, "Availability: Unix")."""
SIGNALS: Final = {"SIGINT", "SIGTERM", "SIGABRT", "SIGFPE", "SIGILL", "SIGSEGV"}
O_BINARY: Final = 1 << 28
ACCESS: Final = os.access
LISTED: Final = os.listdir
DEVICES: Final = {"con", "prn", "aux", "nul", "com1", "lpt1"}


def real(path: Any) -> Any:
    """The path on this system. OSError for a path that Windows does not allow."""
    if isinstance(path, int) or path is None:
        return path
    text = os.fspath(path)
    drive, rest = ntpath.splitdrive(text)
    if any(mark in rest for mark in ':?*<>|"'):
        raise OSError(errno.EINVAL, "Invalid argument", text)
    if rest.replace("/", "\\").rpartition("\\")[2].partition(".")[0].strip().lower() in DEVICES:
        return "/dev/null"
    if drive.upper() not in ("", "C:"):
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", text)
    return _ignoring_case(rest.replace("\\", "/"))


def _ignoring_case(path: str) -> str:
    """The path of the existing file whose name is equal when case is ignored."""
    folder, _, name = path.rpartition("/")
    if ACCESS(path, os.F_OK) or not ACCESS(folder or ".", os.F_OK):
        return path
    listed = [one for one in LISTED(folder or ".") if one.lower() == name.lower()]
    return f"{folder}/{listed[0]}" if folder and listed else "".join(listed) or path


def translated(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function whose first argument is a path, so that it takes a Windows path."""

    def call(path: Any = ".", *args: Any, **named: Any) -> Any:
        assert "dir_fd" not in named, "Windows has no dir_fd"
        return function(real(path), *args, **named)

    return call


def binary(function: Callable[..., int]) -> Callable[..., int]:
    """`os.open`, which must be called with O_BINARY: without it Windows translates line ends."""

    def call(path: Any, flags: int, *args: Any) -> int:
        assert flags & O_BINARY, f"{path} is opened as text"
        assert real(path) != "/dev/null", f"the device {path} is opened"
        return function(real(path), flags & ~O_BINARY, *args)

    return call


def simulate() -> None:
    """Make this process look like one on Windows to Python code."""
    for name in POSIX_ONLY.split():
        if hasattr(os, name):
            delattr(os, name)
    for name in [name for name in dir(signal) if name.startswith("SIG") and name.isupper()]:
        if name not in SIGNALS:
            delattr(signal, name)
    for name in ("alarm", "setitimer", "siginterrupt", "pthread_sigmask", "sigwait"):
        delattr(signal, name)
    for name in ("fcntl", "resource", "pwd", "grp", "termios"):
        sys.modules[name] = None  # type: ignore[assignment]
    system: Any = os
    folder = os.getcwd()
    system.O_BINARY = O_BINARY
    system.getcwd = lambda: "C:" + folder.replace("/", "\\")
    system.open = binary(os.open)
    for name in ("stat", "lstat", "scandir", "listdir"):
        setattr(os, name, translated(getattr(os, name)))
    builtins.open = translated(builtins.open)
    system.path, system.sep, system.altsep, system.linesep = ntpath, "\\", "/", "\r\n"
    system.devnull, system.pathsep, system.curdir = "nul", ";", "."
    sys.modules["os.path"] = ntpath


def with_real_subprocesses() -> None:
    """Let the reference reader be started, which is a process of the real system and takes its paths."""
    from inspector.loader import reference

    exchange, start, nothing = reference.ReferenceReader._exchange, subprocess.Popen, os.open(os.devnull, os.O_RDWR)

    def exchanged(process: Any, path: str | None) -> Any:
        return exchange(process, None if path is None else real(path))

    def started(command: list[str], **pipes: Any) -> Any:
        process: Any = start(command, **{**pipes, "stderr": nothing})
        process.kill = partial(os.kill, process.pid, 9)
        process.wait = lambda timeout=None: start.wait(process)
        return process

    reference.ReferenceReader._exchange = staticmethod(exchanged)  # type: ignore[method-assign]
    subprocess.Popen = started  # type: ignore[assignment,misc]


def main() -> None:
    """Run the command lines one after the other."""
    commands = json.load(sys.stdin)
    if any("--values" in words for words in commands):
        import numpy  # noqa: F401 (it reads the platform while it is imported)
    if "--plain" not in sys.argv:
        with_real_subprocesses()
        simulate()
    from inspector.__main__ import _run

    done = []
    for words in commands:
        report, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(report), redirect_stderr(errors):
            code = _run(words)
        done.append((code, report.getvalue(), errors.getvalue()))
    json.dump(done, sys.stdout)


if __name__ == "__main__":
    main()
