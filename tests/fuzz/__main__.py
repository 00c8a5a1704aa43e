"""Guided fuzzing with atheris: `python -m tests.fuzz TARGET [SECONDS]`, after `pip install atheris`.

Writes failing inputs to the working directory as `crash-*`; `python -m tests.fuzz TARGET crash-...` repeats one.
"""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path


def main(words: list[str]) -> None:
    """Fuzz a target for some seconds, or run it on a file."""
    atheris = import_module("atheris")

    with atheris.instrument_imports(include=["inspector"]):
        from tests.fuzz.targets import LARGEST, TARGETS, run
    name = words[0] if words else ""
    if name not in TARGETS:
        raise SystemExit(f"usage: python -m tests.fuzz {{{','.join(TARGETS)}}} [SECONDS | FILE]")
    if len(words) > 1 and not words[1].isdecimal():
        run(name, Path(words[1]).read_bytes())
        return
    seconds = words[1] if len(words) > 1 else "60"
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(TARGETS[name][1]):
            (Path(corpus) / str(number)).write_bytes(seed)
        options = [
            f"-max_total_time={seconds}",
            f"-max_len={LARGEST}",
            "-timeout=120",
            "-rss_limit_mb=1500",
            "-verbosity=0",
        ]
        atheris.Setup([sys.argv[0], *options, "-print_final_stats=1", corpus], lambda data: run(name, data))
        atheris.Fuzz()


main(sys.argv[1:])
