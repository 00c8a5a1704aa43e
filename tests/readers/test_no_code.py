"""Checks with an audit hook of the interpreter that reading a pickle imports, opens and starts nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from inspector.loader.formats import pickle_code, torch_file, numpy_file, gguf, zip_directory
from inspector.loader import layer_words, signature
from inspector.findings.registry import all_findings
from inspector.algebra import span
from tests.readers.hostile_files import FILES, LIMITS, LIMIT_DIVISOR
from inspector.loader.formats.torch_file import read_torch
from inspector.loader.formats.numpy_file import read_numpy
from inspector.loader.formats.gguf import read_gguf

for module, name in LIMITS:
    setattr(module, name, getattr(module, name) // LIMIT_DIVISOR)
all_findings()  # their modules are imported where they are created
files = [(name, build()) for name, build in FILES]
readers = (read_torch, read_numpy, read_gguf)
for reader in readers:  # once for whatever the readers import on first use
    reader(lambda at, length: files[0][1][at:at + length], len(files[0][1]), "warm")

events, watching = [], True

def hook(event, arguments):
    if watching:
        events.append((event, str(arguments)[:100]))

sys.addaudithook(hook)
modules = set(sys.modules)
for name, data in files:
    for reader in readers:
        reader(lambda at, length: data[at:at + length], len(data), name)
watching = False
assert not events, events[:20]
assert set(sys.modules) == modules, set(sys.modules) - modules
print(len(files))
"""


def test_reading_has_no_side_effects() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) >= 60
