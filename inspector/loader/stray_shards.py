"""Numbered safetensors without an index that are fewer than their names say, beside whole PyTorch files.

transformers (`_get_resolved_checkpoint_files`) and diffusers look for a single file and an index of safetensors, and
then for those of PyTorch: measured with transformers 4.57 and 5.23, which load the PyTorch files complete.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.loader.loaders import DIFFUSERS, INDEX, TRANSFORMERS
from inspector.loader.weight_sets import SAFETENSORS, WeightSet, shard_number

PYTORCH: Final = "pytorch"


def without_strays(sets: Sequence[WeightSet], sizes: Mapping[str, int]) -> tuple[tuple[WeightSet, ...], Finding | None]:
    """(the sets, the finding on the stray shards or None); stray shards come last."""
    for loader in (TRANSFORMERS, DIFFUSERS):
        single = loader.single(SAFETENSORS)
        if single in sizes or f"{single}{INDEX}" in sizes:
            continue
        taken = next((name for name in loader.files if name in sizes), "")
        whole = next((one for one in sets if one.name == taken and one.kind == PYTORCH and _lacking(one) == 0), None)
        strays = [one for one in sets if one.kind == SAFETENSORS and one.stem == loader.stems[SAFETENSORS]]
        others = any(one.kind == SAFETENSORS for one in sets if one not in strays)
        if whole is None or len(strays) != 1 or others or not strays[0].numbered or _lacking(strays[0]) < 1:
            continue
        from inspector.findings.reading.stray_shards import ShardsOfUnfinishedConversion

        stray = strays[0]
        finding = ShardsOfUnfinishedConversion(
            names=stray.files[:NAMES_SHOWN],
            files=len(stray.files),
            of=len(stray.files) + _lacking(stray),
            audited=taken,
            loader=loader.name,
        )
        return (*(one for one in sets if one is not stray), stray), finding
    return tuple(sets), None


def _lacking(weights: WeightSet) -> int:
    """How many shards of a set are absent by the numbers in its names; -1 if they do not agree."""
    numbers = [shard_number(name) for name in weights.files]
    counts = {one[1] for one in numbers if one is not None}
    if not weights.numbered:
        return 0
    if len(counts) != 1 or None in numbers:
        return -1
    return counts.pop() - len(numbers)
