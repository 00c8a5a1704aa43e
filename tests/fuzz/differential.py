"""Compares random files with the reference readers: `python -m tests.fuzz.differential headers|pickles COUNT [SEED]`.

headers: mutated safetensors files, beside safetensors. pickles: state dicts and archives of PyTorch, beside
`torch.load(weights_only=True)`, which has to be installed. The first disagreement ends the run with its bytes.
"""

from __future__ import annotations

import random
import sys
from collections import Counter


def main(words: list[str]) -> None:
    """Runs the comparison and prints what came of it."""
    kind, number, *seed = words
    if kind == "headers":
        from tests.attacks.test_differential import compared, mutant
    else:
        from tests.fuzz.pickles import compared, mutant
    chance = random.Random(int(seed[0]) if seed else 0)
    seen: Counter[str] = Counter()
    for _ in range(int(number)):
        seen[compared(mutant(chance))] += 1
    print(f"{number} {kind}: " + ", ".join(f"{found:,} {what}" for what, found in sorted(seen.items())))


if __name__ == "__main__":
    main(sys.argv[1:])
