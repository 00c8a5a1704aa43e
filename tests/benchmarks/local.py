"""Local speed as ratios within a run: CPU time and peak memory of processes, with commands run alternately.

    python -m tests.benchmarks.local [rounds]

Needs the project's test extra. Writes sparse checkpoints to a temporary folder.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.conversions import PAIRS

PYTHON = sys.executable
INSPECTOR = [PYTHON, "-m", "inspector", "audit"]
COMPARE = [PYTHON, "-m", "inspector", "compare"]
HUB = "from huggingface_hub import get_local_safetensors_metadata as f; import sys; f(sys.argv[1])"
OPEN = (
    "import glob, sys; from safetensors import safe_open\n"
    "for p in sorted(glob.glob(sys.argv[1] + '/*.safetensors')):\n"
    "    with safe_open(p, 'np') as f:\n"
    "        for k in f.keys():\n"
    "            s = f.get_slice(k); s.get_shape(); s.get_dtype()\n"
)
TYPER = (
    "import typer\napp = typer.Typer(rich_markup_mode=None)\n"
    "@app.command()\ndef one(x: str): print(x)\n@app.command()\ndef two(x: str): print(x)\napp()"
)
DECODE = (
    "import glob, json, os, struct, sys, time\n"
    "def read(folder):\n"
    "    for p in sorted(glob.glob(folder + '/*.safetensors')):\n"
    "        with open(p, 'rb') as f:\n"
    "            json.loads(f.read(struct.unpack('<Q', f.read(8))[0]))\n"
    "    for p in glob.glob(folder + '/*.index.json'):\n"
    "        json.loads(open(p, 'rb').read())\n"
    "from inspector.auditing.start import audit\n"
    "audit(sys.argv[2]); read(sys.argv[2])\n"
    "a = time.process_time(); audit(sys.argv[1]); b = time.process_time(); read(sys.argv[1]); c = time.process_time()\n"
    "print((b - a) / (c - b))\n"
)
LOADS = (
    "import sys, time\n"
    "import inspector.__main__ as command\n"
    "from inspector.auditing.loads import predict\n"
    "spent, loads_of = [], predict.loads_of\n"
    "def timed(audited):\n"
    "    began = time.process_time()\n"
    "    found = loads_of(audited)\n"
    "    spent.append(time.process_time() - began)\n"
    "    return found\n"
    "predict.loads_of = timed\n"
    "command._answer(['audit', sys.argv[1]])\n"
    "print(sum(spent) / time.process_time(), file=sys.stderr)\n"
)
"""Prints the share of an audit that is spent on predicting what loaders do."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of CPU and peak memory in KiB of one process."""

    cpu: float
    memory: int


def cost(command: list[str]) -> Cost:
    """Run a command to its end and discard its output."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{command[:4]} ended with {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


def ratio(ours: list[str], theirs: list[str], rounds: int, of: Callable[[Cost], float]) -> float:
    """The median of the ratios of each round, with both commands run alternately."""
    cost(ours), cost(theirs)
    return statistics.median(of(cost(ours)) / of(cost(theirs)) for _ in range(rounds))


def difference(first: list[list[str]], second: list[list[str]], rounds: int) -> float:
    """The ratio of (large - tiny) of our command to that of theirs."""
    ratios = []
    for _ in range(rounds):
        costs = [cost(command).cpu for command in (*first, *second)]
        ratios.append((costs[0] - costs[1]) / (costs[2] - costs[3]))
    return statistics.median(ratios)


def comparing(folder: str, name: str, rounds: int) -> float:
    """The ratio of the CPU time of a comparison to that of its two audits."""
    source, target = (str(Path(folder) / one) for one in PAIRS[name])
    ratios = []
    for _ in range(rounds):
        both = cost([*COMPARE, source, target]).cpu
        ratios.append(both / (cost([*INSPECTOR, source]).cpu + cost([*INSPECTOR, target]).cpu))
    return statistics.median(ratios)


def main(rounds: int) -> None:
    """Print one line per goal: the ratio and its upper limit."""
    with tempfile.TemporaryDirectory() as folder:
        where = {}
        for name in ("tiny", "dsv3", "dsv3-by-name", "flat200k"):
            where[name] = str(Path(folder) / name)
            # written by another process: a child starts with its parent's peak memory
            subprocess.run([PYTHON, "-m", "tests.sparse_models", folder, name], check=True, capture_output=True)
        subprocess.run([PYTHON, "-m", "tests.benchmarks.conversions", folder], check=True, capture_output=True)
        hub = [PYTHON, "-c", HUB]
        ours = {name: [*INSPECTOR, path] for name, path in where.items()}
        theirs = {name: [*hub, path] for name, path in where.items()}
        version = [PYTHON, "-m", "inspector", "--version"]

        def cpu(one: Cost) -> float:
            return one.cpu

        def memory(one: Cost) -> float:
            return float(one.memory)

        rows = [
            *(row for name in ("dsv3", "dsv3-by-name") for row in (
                (f"{name}, CPU, / hub metadata", ratio(ours[name], theirs[name], rounds, cpu), 0.38),
                (f"{name} less tiny, CPU, / the same", difference(
                    [ours[name], ours["tiny"]], [theirs[name], theirs["tiny"]], rounds), 0.38),
                (f"{name}, peak memory, / hub metadata", ratio(ours[name], theirs[name], rounds, memory), 0.38),
                (f"{name}, CPU, / safe_open loop", ratio(
                    ours[name], [PYTHON, "-c", OPEN, where[name]], rounds, cpu), 0.7),
            )),
            ("dsv3 in process, / reading and decoding", statistics.median(
                float(subprocess.run([PYTHON, "-c", DECODE, where["dsv3"], where["tiny"]], capture_output=True,
                                     text=True, check=True).stdout) for _ in range(rounds)), 4.0),
            *((f"{name}, loaders, / the audit", statistics.median(
                float(subprocess.run([PYTHON, "-c", LOADS, where[name]], capture_output=True, text=True,
                                     check=True).stderr) for _ in range(rounds)), 0.05)
              for name in ("tiny", "dsv3")),
            ("flat200k, CPU, / hub metadata", ratio(ours["flat200k"], theirs["flat200k"], rounds, cpu), 0.28),
            ("tiny, CPU, / hub metadata", ratio(ours["tiny"], theirs["tiny"], rounds, cpu), 0.80),
            ("tiny, CPU, / a minimal typer program", ratio(
                ours["tiny"], [PYTHON, "-c", TYPER, "one", "x"], rounds, cpu), 0.45),
            ("--version, CPU, / python -c pass", ratio(version, [PYTHON, "-c", "pass"], rounds, cpu), 2.0),
            *((f"compare {name}, CPU, / its two audits", comparing(folder, name, rounds), 1.2) for name in PAIRS),
        ]  # fmt: skip
        for name, value, goal in rows:
            print(f"{name:<44}{value:>7.2f}   goal {goal:.2f}   {'ok' if value <= goal else 'over'}", flush=True)
        print(json.dumps({name: round(value, 3) for name, value, _ in rows}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
