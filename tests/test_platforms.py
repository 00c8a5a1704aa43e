"""Platform differences, with Windows simulated: reads, paths, device names, code pages, consoles."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.cli import streams
from inspector.loader.sources import local_reading
from inspector.loader.sources.address import Address, address_of
from inspector.loader.sources.download import quoted
from inspector.loader.sources.source import Refusal, is_reserved
from inspector.report.clean import takes_escapes
from tests.judged import FIXTURES

CHECKPOINTS = FIXTURES / "checkpoints"
NAMES = sorted(path.name for path in CHECKPOINTS.iterdir())
COMMANDS = [
    *(["audit", name] for name in NAMES),
    *(["count", name, "--format", "json"] for name in NAMES),
    ["audit", "my-finetune", "--format", "json", "--verbose"],
    ["audit", "my-adapter", "--base", "small-llama"],
    ["audit", "llama-numbers", "--values"],
    ["audit", "./small-llama/model.safetensors.index.json"],
    ["audit", "./small-llama/config.json"],
    ["tensors", "my-finetune", "--all"],
    ["formula", "llama"],
    ["formula", "small-llama"],
    ["formula", "small-llama/config.json"],
    ["compare", "small-llama", "llama-q8"],
    ["compare", "small-llama", "half-converted"],
    ["compare", "meta-numbers", "llama-numbers", "--values"],
    ["explain", "D501"],
    ["explain", "notation"],
]
"""The verbs on every checkpoint of the fixtures."""
SYSTEMS = ["CON", "nul", "aux.txt", "C:\\models\\con.json", "small-llama/PRN", "\\\\.\\pipe\\x", "LPT1:"]
"""Names of Windows devices, in any folder and with any suffix."""


def run_commands(commands: list[list[str]], *options: str) -> list[tuple[int, str, str]]:
    """Exit code, report and errors of each command line, run in the folder of the fixtures."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.simulated_windows", *options],
        cwd=CHECKPOINTS,
        env={**os.environ, "NO_COLOR": "1", "PYTHONUTF8": "1", "PYTHONPATH": str(FIXTURES.parent)},
        input=json.dumps(commands),
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return [(code, report, errors) for code, report, errors in json.loads(done.stdout)]


def on_windows(word: str) -> str:
    """Turn paths of fixtures into Windows paths; other words stay unchanged."""
    return word.replace("/", "\\") if (CHECKPOINTS / word).exists() else word


def test_every_verb_prints_on_windows_what_it_prints_here() -> None:
    there = run_commands([[on_windows(word) for word in words] for words in COMMANDS])
    for words, one, other in zip(COMMANDS, run_commands(COMMANDS, "--plain"), there, strict=True):
        assert (other[0], other[1].replace("\\", "/"), other[2]) == (one[0], one[1].replace("\\", "/"), one[2]), words
        assert one[1], words


@pytest.mark.parametrize("written", ["\\", "/"], ids=["backslashes", "slashes"])
def test_a_path_with_a_drive_is_a_path(written: str) -> None:
    whole = "C:" + str(CHECKPOINTS / "small-llama").replace("/", written)
    absent = f"C:{written}models{written}absent"
    audited, read, nothing = run_commands([["audit", whole], ["audit", f"{whole}{written}config.json"], [absent]])
    assert audited == run_commands([["audit", "small-llama"]], "--plain")[0]
    assert read[0] == 3 and "there is no file or folder" not in read[1]
    assert nothing[0] == 3 and "not-found" in nothing[1]
    for path in (whole, absent, f"C:{written}x", "C:x", "C://models/x", "\\\\server\\share\\x", "models\\x"):
        assert address_of(path, exists=False) == Address("path", path)


def test_file_names_are_case_insensitive() -> None:
    path = f"C:{CHECKPOINTS / 'llama-q8'}\\model.gguf"
    one, other = run_commands([["audit", path], ["audit", path.replace("model.gguf", "MODEL.GGUF")]])
    assert one == other and not one[0]


def test_a_web_address_is_not_a_file_name() -> None:
    """Windows returns EINVAL for a name with a colon; the address is read nevertheless."""
    (outcome,) = run_commands([["audit", "nothing://host/model"]])
    assert outcome[0] == 3 and "scheme" in outcome[1]


def test_devices_are_never_opened() -> None:
    for code, report, _ in run_commands([["audit", name, "--format", "json"] for name in SYSTEMS]):
        assert code == 3 and "not-a-regular-file" in report


@pytest.mark.parametrize("name", ["CON", "nul", "aux.txt", "AUX .tar.gz", "com1", "LPT³", "conin$", "con:"])
def test_device_names_are_recognized(name: str) -> None:
    assert is_reserved(name)
    assert not is_reserved(f"x{name}") and not local_reading.names_device(name)


def test_bytes_are_read_at_their_place_without_pread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_bytes(bytes(range(256)))
    monkeypatch.delattr(os, "pread")
    opened = local_reading.open_regular(str(tmp_path / "x"))
    assert not isinstance(opened, Refusal) and opened[1] == 256
    with os.fdopen(opened[0], "rb"):
        assert local_reading.read_at(opened[0], 250, 20) == bytes(range(250, 256))
        assert local_reading.read_at(opened[0], 3, 4) == bytes(range(3, 7))


def test_no_read_exceeds_the_limit_of_macos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pread(descriptor: int, length: int, offset: int) -> bytes:
        assert length < 1 << 31
        return bytes(range(offset, min(offset + 2, 9)))

    monkeypatch.setattr(os, "pread", pread)
    assert local_reading.read_at(0, 1, 3 << 30) == bytes(range(1, 9))


@pytest.mark.parametrize("page", ["cp1252", "cp437", "cp932", "ascii"])
def test_a_code_page_without_our_symbols_gets_ascii(page: str) -> None:
    def shown(encoding: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "inspector", "audit", "my-finetune"],
            cwd=CHECKPOINTS,
            env={**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": encoding, "PYTHONPATH": str(FIXTURES.parent)},
            capture_output=True,
        )
        assert done.returncode == 1 and not done.stderr
        return done.stdout.decode(encoding)

    plain = shown(page)
    assert "\\" not in plain
    expected = ""
    for char in shown("utf-8"):
        try:
            expected += char.encode(page).decode(page)
        except UnicodeEncodeError:
            expected += streams.IN_ASCII[char]
    assert plain == expected


def test_a_closed_pipe_is_reported_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(22, "Invalid argument")

    monkeypatch.setattr(sys, "stdout", Closed())
    with pytest.raises(BrokenPipeError):
        streams.write("x")


class Console(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "understood"), [({}, False), ({"WT_SESSION": "1"}, True), ({"TERM": "dumb"}, False)]
)
def test_only_new_consoles_get_escapes(
    environment: dict[str, str], understood: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "environ", environment)
        patched.setattr(os, "name", "nt")
        found = takes_escapes(Console())
    assert found == understood


def test_commands_are_quoted_as_the_shell_of_windows_takes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = sys.modules[quoted.__module__]
    monkeypatch.setattr(module, "WINDOWS", True)
    assert [quoted(word) for word in ("org/name", "*.json", "C:\\my models\\")] == [
        "org/name", '"*.json"', '"C:\\my models\\\\"'
    ]  # fmt: skip
