"""Speed of reading values as ratios within a run: plain reads of the same bytes to `--values`, run alternately.

    python -m tests.benchmarks.values [rounds]

Two ratios: of CPU time, to which the goals refer, and of wall time, which threads reduce on an idle machine.

Writes checkpoints of normally distributed weights, 260 MB in 16 bits, to a temporary folder. Another process that
uses the memory of the machine lowers all ratios.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from inspector.auditing.start import audit
from inspector.auditing.values import check_values
from inspector.comparing.checkpoints import compare
from inspector.comparing.values import compare_values
from tests.sparse_models import llama
from tests.values.value_files import bfloat16, spec_of, write

CONFIG: Final[dict[str, Any]] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 2048, "intermediate_size": 5632,
    "num_attention_heads": 32, "num_key_value_heads": 4, "num_hidden_layers": 2, "vocab_size": 12000,
    "tie_word_embeddings": False,
}  # fmt: skip
GOALS: Final = {"BF16": 0.7, "F16": 0.7, "F32": 0.7, "BF16 and F16": 0.3, "F32 and BF16": 0.15}
MAKE: Final = "from tests.benchmarks.values import made; made"
MEMORY: Final = 300
"""Megabytes of memory that a run may use beyond those at its start."""


def made(place: str) -> None:
    """Write the weights in three dtypes; float16 has the values of bfloat16, rounded where it has fewer bits."""
    folder = Path(place)
    random = np.random.default_rng(0)
    spec = spec_of(dict(llama(CONFIG)))
    arrays = {name: random.standard_normal(shape, np.float32) * np.float32(0.02) for name, (_, shape) in spec.items()}
    brain = {name: bfloat16(array) for name, array in arrays.items()}
    half = {name: (bits.astype("<u4") << 16).view("<f4").astype("<f2") for name, bits in brain.items()}
    for name, written in (("BF16", brain), ("F16", half), ("F32", arrays)):
        write(folder / name, written, CONFIG)


def read(*folders: Path) -> None:
    """Read every byte."""
    for folder in folders:
        with (folder / "model.safetensors").open("rb", buffering=0) as file:
            while file.read(1 << 22):
                pass


def ratios(ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The medians of the ratios of each round: of CPU time, of wall time."""

    def seconds(run: Callable[[], object]) -> tuple[float, float]:
        begin = time.process_time(), time.perf_counter()
        run()
        return time.process_time() - begin[0], time.perf_counter() - begin[1]

    seconds(ours)
    found = [(seconds(theirs), seconds(ours)) for _ in range(rounds)]
    processor, wall = ([one[which] / other[which] for one, other in found] for which in (0, 1))
    return statistics.median(processor), statistics.median(wall)


def megabytes() -> int:
    """The peak memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main(rounds: int) -> None:
    """Print one line per goal."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # written by another process, so that its memory does not count
        subprocess.run([sys.executable, "-c", f"{MAKE}({name!r})"], check=True)
        start = megabytes()
        for what, goal in GOALS.items():
            sides = [folder / side for side in what.split(" and ")]
            if len(sides) == 1:
                audited = audit(str(sides[0]))
                found = ratios(lambda one=audited: check_values(one), lambda of=sides: read(*of), rounds)  # type: ignore[misc]
            else:
                compared = compare(*map(str, sides))
                found = ratios(lambda one=compared: compare_values(one), lambda of=sides: read(*of), rounds)  # type: ignore[misc]
            text = "ok" if found[0] >= goal else "below"
            print(f"{what:<16}{found[0]:>7.2f}   goal {goal:.2f}   {text:<5}   wall {found[1]:.2f}", flush=True)
        print(f"memory in MB    {megabytes() - start:>7}   goal {MEMORY}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
