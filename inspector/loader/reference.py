"""Runs safetensors, the reference reader, in a child process that opens files and returns their headers.

safetensors maps files, and the operating system kills a process if its mapped file shrinks. This is the only process
that the package starts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from threading import Timer
from time import monotonic
from typing import Any, Final, Self

from msgspec import Struct

CHILD: Final = os.path.join(os.path.dirname(__file__), "reference_child.py")
PATIENCE: Final = 60.0
"""Timeout for one file, in seconds."""


class ReferenceAnswer(Struct, frozen=True):
    """The answer of safetensors for one file.

    reader: its name and version. refusal: its message, "" if it opens the file. failed: it did not answer, and
    `refusal` states how it ended. tensors: name -> (dtype, shape).
    """

    reader: str
    refusal: str = ""
    failed: bool = False
    tensors: dict[str, tuple[str, tuple[int, ...]]] = {}

    @property
    def words(self) -> str:
        """The answer in words."""
        if self.failed:
            return f"{self.reader} {self.refusal}"
        return f"{self.reader} refuses it: {self.refusal}" if self.refusal else f"{self.reader} opens it"


class ReferenceReader:
    """One child process for any number of files. It is started for the first file, and again after a crash.

    absent: why it cannot be started, "" otherwise.
    """

    def __init__(self) -> None:
        self.absent = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._reader = "safetensors"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._end()

    def ask(self, path: str) -> ReferenceAnswer | None:
        """The answer of safetensors for a regular local file; None if safetensors cannot be started."""
        process = self._process or self._started()
        if process is None:
            return None
        begun = monotonic()
        said = self._exchange(process, os.path.abspath(path))
        if said is None:
            code = self._end()
            ending = f"crashed (signal {-code})" if code < 0 else f"ended without an answer (exit code {code})"
            if monotonic() - begun >= PATIENCE:
                ending = f"gave no answer in {PATIENCE:g} seconds"
            return ReferenceAnswer(self._reader, ending, failed=True)
        tensors = {name: (dtype, tuple(shape)) for name, (dtype, shape) in said.get("tensors", {}).items()}
        return ReferenceAnswer(self._reader, said.get("refusal", ""), tensors=tensors)

    def _started(self) -> subprocess.Popen[bytes] | None:
        found = None if self.absent else find_spec("safetensors")
        if found is None or not found.origin or not sys.executable:
            self.absent = "safetensors cannot be started"
            return None
        command = [sys.executable, "-I", "-S", CHILD, os.path.dirname(os.path.dirname(found.origin))]
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError:
            self.absent = "safetensors cannot be started"
            return None
        self._process = process
        version = self._exchange(process, None)
        if version is None:
            self._end()
            self.absent = "safetensors cannot be started"
            return None
        self._reader = f"safetensors {version}"
        return process

    @staticmethod
    def _exchange(process: subprocess.Popen[bytes], path: str | None) -> Any:
        """Sends a path to the child and returns the next line; None if the child ended or timed out."""
        assert process.stdin is not None and process.stdout is not None
        patience = Timer(PATIENCE, process.kill)
        patience.start()
        try:
            if path is not None:
                process.stdin.write(json.dumps(path).encode() + b"\n")
                process.stdin.flush()
            line = process.stdout.readline()
            return json.loads(line) if line.endswith(b"\n") else None
        except (OSError, ValueError):
            return None
        finally:
            patience.cancel()

    def _end(self) -> int:
        """Closes the pipes of the child, if there is one, waits for it, and returns its exit code."""
        process, self._process = self._process, None
        if process is None:
            return 0
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            try:
                stream.close()
            except OSError:
                continue
        try:
            return process.wait(1)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()
