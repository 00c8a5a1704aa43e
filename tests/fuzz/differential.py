"""Compares random files with the reference readers: `python -m tests.fuzz.differential headers|pickles COUNT [SEED]`.

headers: mutated safetensors files, compared with safetensors. pickles: state dicts and archives of PyTorch, compared
with `torch.load(weights_only=True)`, for which torch must be installed. The run ends at the first disagreement and
prints its bytes.
"""

from __future__ import annotations

import random
import sys
from collections import Counter


def main(words: list[str]) -> None:
    """Run the comparison and print the result."""
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
