"""Projections that vLLM joins into one layer and that are quantized in different ways, which it refuses.

Sources in vLLM: `packed_modules_mapping` of its classes; `should_ignore_layer` and `find_matched_target` of
compressed-tensors, `is_layer_skipped` of fp8 and AWQ, `is_layer_gptq_quantized`, and the layer config of auto-round
(`inc.py`), all of which require one way for all parts of a joined layer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from inspector.algebra.boxes import tuples
from inspector.findings.finding import Finding, Place
from inspector.quantization.missing_block import settled
from inspector.quantization.unpacked import Unpacked
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import family_name

METHODS: Final = frozenset({"compressed-tensors", "gptq", "awq", "fp8", "auto-round"})
"""Methods for which vLLM compares the parts."""
JOINED: Final = (("gate_proj", "up_proj"), ("q_proj", "k_proj", "v_proj"), ("in_proj_qkv", "in_proj_z"))
EXPERTS: Final = ".experts."
MOST_LAYERS: Final = 10_000

Way = tuple[str, float, int | None] | None
"""(scheme, bits, group size); None if not quantized."""
Ways = dict[Way, set[tuple[int, ...]]]


def joined_apart(unpacked: Unpacked, lines: Sequence[Line]) -> Iterator[Finding]:
    """The note on each kind of joined layer with parts that are quantized in different ways."""
    if unpacked.settings.base.method not in METHODS:
        return
    found: dict[str, Ways] = defaultdict(lambda: defaultdict(set))
    for line in lines:
        if line.family.endswith("_proj.weight") or line.family.endswith((".in_proj_qkv.weight", ".in_proj_z.weight")):
            packed = None if line.packed is None else settled(line.packed, line.layout.shape)
            way = None if packed is None else (packed.scheme, packed.bits, packed.group_size)
            for box in line.boxes:
                found[line.family][way].update(islice(tuples(box), MOST_LAYERS))
    for parts in JOINED:
        yield from _apart(parts, found)


def _apart(parts: Sequence[str], found: dict[str, Ways]) -> Iterator[Finding]:
    ending = f".{parts[0]}.weight"
    for family in [key for key in found if key.endswith(ending) and EXPERTS not in key]:
        path = family.removesuffix(ending)
        members = {part: found[f"{path}.{part}.weight"] for part in parts if f"{path}.{part}.weight" in found}
        if len(members) < len(parts) or all(ways.keys() <= {None} for ways in members.values()):
            continue
        layers = {at for ways in members.values() for held in ways.values() for at in held}
        ways_of = {at: [_way(ways, at) for ways in members.values()] for at in layers}
        apart = sorted(at for at, ways in ways_of.items() if len(set(ways)) > 1)
        if apart:
            from inspector.findings.types.parallel_groups import JoinedApart

            yield JoinedApart(
                place=Place(family=family),
                path=family_name(path),
                parts=tuple(parts),
                ways=tuple(_in_words(way) for way in ways_of[apart[0]]),
                layers=len(apart),
            )


def _way(ways: Ways, at: tuple[int, ...]) -> Way:
    return next((way for way, held in ways.items() if at in held), None)


def _in_words(way: Way) -> str:
    if way is None:
        return "not quantized"
    scheme, bits, group = way
    return f"{scheme}, {bits:g} bits" + (f", groups of {group}" if group and group > 0 else "")
