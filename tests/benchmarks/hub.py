"""Compares the time to read headers with that of the Hub's own client, both from the stand-in, in the same run.

    python -m tests.benchmarks.hub [--rounds 5] [--latency 0.05] [--speed 0] [MODEL...]

latency: round trip in seconds; speed: bytes per second of all connections together (12.5e6 is 100 Mbit/s), 0 for
unlimited. Every reading runs in a separate process with an empty cache; the call is timed without the imports.
Prints medians, and the medians of the ratios of each round.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.sparse_models import header_bytes, make

ROOT = Path(__file__).parent.parent.parent
NAMES = ("llama8b", "llama405b", "dsv3")
_TIMED = """
import gc, json, os, sys, time
{imports}
began = time.perf_counter()
{call}
print(json.dumps(time.perf_counter() - began))
sys.stdout.flush()
os._exit(0)
"""
_OWN = (
    "from inspector.loader.sources import hub, opening; from inspector.loader.checkpoint import load; "
    "from huggingface_hub.utils import build_hf_headers, get_session"
)
READERS = {
    "client": (
        "from huggingface_hub import HfApi; import huggingface_hub.file_download\n"
        "from huggingface_hub.utils import disable_progress_bars; disable_progress_bars()",
        "api = HfApi(endpoint=os.environ['HF_ENDPOINT'], token=False)\n"
        "api.get_safetensors_metadata(sys.argv[1], revision=sys.argv[2])",
    ),
    "ranges": (_OWN, "assert load(sys.argv[1], revision=sys.argv[2]).readable"),
    "one answer": (_OWN, "assert load(sys.argv[1]).readable"),
}
"""Name -> imports and the timed call."""
_SERVER = """
import sys, threading
from pathlib import Path
from tests.hub.stand_in import StandIn
latency, speed, folders = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
with StandIn(latency=latency, speed=speed or None) as server:
    commits = []
    for folder in map(Path, folders):
        commits.append(server.add(f"org/{folder.name}", folder).branches["main"])
    print(server.endpoint, *commits, flush=True)
    for line in sys.stdin:
        print(len(server.seen), server.sent["hub"], server.sent["store"], flush=True)
        server.forget()
"""


def timed(reader: str, endpoint: str, repository: str, commit: str) -> float:
    """Seconds of one reading in a process with an empty cache."""
    imports, call = READERS[reader]
    with tempfile.TemporaryDirectory() as home:
        variables = {"HF_ENDPOINT": endpoint, "HF_HOME": home, "HF_HUB_DISABLE_TELEMETRY": "1"}
        done = subprocess.run(
            [sys.executable, "-c", _TIMED.format(imports=imports, call=call), repository, commit],
            cwd=ROOT,
            env={**{key: value for key, value in os.environ.items() if key != "HF_TOKEN"}, **variables},
            capture_output=True,
            text=True,
            check=True,
        )
    return float(done.stdout.splitlines()[-1])


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser()
    options.add_argument("models", nargs="*", default=NAMES)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--latency", type=float, default=0.05)
    options.add_argument("--speed", type=float, default=0.0)
    options.add_argument("--folder", type=Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = given.folder or Path(temporary)
        folders = [root / name if (root / name).is_dir() else make(name, root / name) for name in given.models]
        words = [str(given.latency), str(given.speed), *map(str, folders)]
        server = subprocess.Popen(
            [sys.executable, "-c", _SERVER, *words], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert server.stdin is not None
        assert server.stdout is not None
        endpoint, *commits = server.stdout.readline().split()
        for folder, commit in zip(folders, commits, strict=True):
            _measure(server, endpoint, folder, commit, given.rounds)
        server.stdin.close()
        server.wait()


def _measure(server: subprocess.Popen[str], endpoint: str, folder: Path, commit: str, rounds: int) -> None:
    assert server.stdin is not None
    assert server.stdout is not None
    took: dict[str, list[float]] = {name: [] for name in READERS}
    counts: dict[str, tuple[int, int, int]] = {}
    for _ in range(rounds):
        for name in READERS:
            took[name].append(timed(name, endpoint, f"org/{folder.name}", commit))
            server.stdin.write("\n")
            server.stdin.flush()
            requests, hub, store = map(int, server.stdout.readline().split())
            counts[name] = (requests, hub, store)
    headers, shards = header_bytes(folder), len(list(folder.glob("*.safetensors")))
    print(f"{folder.name}: {shards} shards, {headers:,} bytes of headers")
    for name, times in took.items():
        ratio = statistics.median(own / other for own, other in zip(times, took["client"], strict=True))
        requests, hub, store = counts[name]
        times_words = f"{statistics.median(times):7.3f} s = {ratio:4.2f}"
        bytes_words = f"{store / headers:6.2f} of the headers, {store / counts['client'][2]:5.3f} of the client's"
        print(
            f"  {name:<11}{times_words}   {requests:4} requests (2N{requests - 2 * shards:+})   shards: {bytes_words}"
        )


if __name__ == "__main__":
    main()
