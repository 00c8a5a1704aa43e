"""Inputs that demand much work, memory or output finish within the limits with a documented exit code and a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.attacks import limited
from tests.attacks.sizes import BUILDS

MEMORY = 200_000_000
"""Limit of peak memory in bytes, or six times the size of the files where these are large."""
STATED = {"names-50k": 70_000_000, "names-1m": 400_000_000, "tensors-all-1m": 400_000_000}
"""Limits of peak memory in bytes for single inputs."""
LARGE = 10_000_000
CPU = {False: 5, True: 8}
"""Limits of CPU time in seconds for small and for large inputs. The system enforces them."""
REPORT = 2_000_000
"""Limit in bytes of a report that lists no single tensors."""
FAST = ("config-huge-vocab_size", "regex-nested", "pickle-shared-deep", "layers-1e9", "lora-10000")
SAMPLE = ("names-50k", "scattered-10000", "config-emoji-60mb", "rank-pattern-1900", "pickle-shared-wide",
          "npz-packed-20k", "components-3000-absent", "compare-50k", "layer-types-next", "gguf-tokens-4m")  # fmt: skip
"""Inputs that stay far below the limits even on a busy machine; the rest runs separately, with -m slow."""
CASES = [
    pytest.param(name, marks=() if name in FAST else pytest.mark.complete if name in SAMPLE else pytest.mark.slow)
    for name in BUILDS
]


@pytest.mark.thinned
@pytest.mark.parametrize("name", CASES)
def test_within_the_limits(name: str, tmp_path: Path) -> None:
    arguments = BUILDS[name](tmp_path)
    size = sum(file.stat().st_blocks * 512 for file in tmp_path.rglob("*") if file.is_file())
    used = limited.run(arguments, str(tmp_path), CPU[size > LARGE])
    assert used.code in (0, 1, 3), used.errors
    assert "internal error" not in used.errors
    assert used.memory <= STATED.get(name, max(MEMORY, 6 * size))
    if "--all" not in arguments:
        assert len(used.output) <= REPORT
    if "json" in arguments and used.output:
        document = json.loads(used.output)
        ledger = document.get("ledger", ())
        counts = document.get("counts")
        if ledger and counts and not document.get("components"):
            assert sum(line["elements"] for line in ledger) == counts["stored_elements"]
            assert sum(line["tensors"] for line in ledger) == counts["tensors"]
        if ledger and document["omitted"].get("families"):
            assert ledger[-1]["family"] is None
            assert ledger[-1]["families"] == document["omitted"]["families"]


BIG = ("names-1m", "scattered-100000", "pickle-shared-wide", "layer-types-next", "swin-names-100000")


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) for name in BIG])
def test_inputs_that_are_too_large_are_named_once(name: str, tmp_path: Path) -> None:
    arguments = BUILDS[name](tmp_path)
    document = json.loads(limited.run(arguments, str(tmp_path), CPU[True]).output)
    assert [finding["code"] for finding in document["findings"]].count("R012") <= 1
