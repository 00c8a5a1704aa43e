"""Reading a pickle imports, opens and starts nothing: an audit hook of the interpreter says so."""

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
from tests.readers.evil import FILES, LIMITS, PART_OF_LIMITS
from inspector.loader.formats.torch_file import read_torch
from inspector.loader.formats.numpy_file import read_numpy
from inspector.loader.formats.gguf import read_gguf

for module, name in LIMITS:
    setattr(module, name, getattr(module, name) // PART_OF_LIMITS)
all_findings()  # their modules are imported where they are created
files = [(name, made()) for name, made in FILES]
readers = (read_torch, read_numpy, read_gguf)
for reader in readers:  # once for whatever the readers import on first use
    reader(lambda at, length: files[0][1][at:at + length], len(files[0][1]), "warm")

seen, watching = [], True

def hook(event, arguments):
    if watching:
        seen.append((event, str(arguments)[:100]))

sys.addaudithook(hook)
modules = set(sys.modules)
for name, data in files:
    for reader in readers:
        reader(lambda at, length: data[at:at + length], len(data), name)
watching = False
assert not seen, seen[:20]
assert set(sys.modules) == modules, set(sys.modules) - modules
print(len(files))
"""


def test_reading_does_nothing_but_read() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) >= 60
