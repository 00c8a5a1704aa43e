"""Recognises stacked experts under the names that they have in vLLM's memory.

Source: `FusedMoE` of vLLM (`model_executor/layers/fused_moe/layer.py`), whose `w13_weight` [experts, gate and up,
input] and `w2_weight` [experts, output, width] have the layout of `gate_up_proj` and `down_proj` of transformers 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.matcher.families import rekeyed
from inspector.matcher.spelling import best_match
from inspector.reconciler.place import Placement
from inspector.reconciler.reconcile import Again, Reconciled
from inspector.reconciler.wording import place_name

NAMES: Final = {"w13_weight": "gate_up_proj", "w2_weight": "down_proj"}
OWN: Final = re.compile(r"experts\.(w13_weight|w2_weight)$")
MODULES: Final = (("", ""), (".block_sparse_moe.", ".mlp."))
"""Changes of the module around the experts; transformers 5 has stacked experts of Mixtral's kind below `mlp`."""


def experts_of_vllm(case: Reconciled, again: Again) -> tuple[Finding, Placement] | None:
    """The finding, and the differences that it does not explain; None without such experts, or if they do not fit."""
    stored = {one.key for one in case.as_configured.unexpected if OWN.search(one.key)}
    modules = {key.rpartition(".")[0] for key in stored}
    if not stored or case.reading.prefix or len(stored) != len(NAMES) * len(modules):
        return None
    for old, new in MODULES:
        renames = {key: OWN.sub(_own_name, key) for key in stored}
        renames |= {
            key: renames.get(key, key).replace(old, new)
            for key in case.reading.families
            if old and old in key and key.partition(old)[0] in {module.partition(old)[0] for module in modules}
        }
        after = _renamed(case, again, renames)
        if not any(one.block.key in renames.values() for one in after.missing + after.mismatched) and not any(
            one.key in renames.values() for one in after.unexpected
        ):
            return _finding(case, renames), after
    return None


def _own_name(found: re.Match[str]) -> str:
    return f"experts.{NAMES[found[1]]}"


def _renamed(case: Reconciled, again: Again, renames: dict[str, str]) -> Placement:
    """The differences that are left under the names of transformers."""
    reading = case.reading
    families = rekeyed(reading.families, lambda key: renames.get(key, key))
    match = best_match(reading.scope, families, case.claim.head)
    return again(case.claim, replace(reading, families=families, match=match), solve=False).as_configured


def _finding(case: Reconciled, renames: dict[str, str]) -> Finding:
    from inspector.findings.names.architecture import NamesOfAnotherProgram

    example = next(one for one in case.as_configured.unexpected if OWN.search(one.key))
    return NamesOfAnotherProgram(
        writer="vLLM",
        example=place_name(example.key, example.boxes),
        renames=tuple(_patterns(renames)),
        exporter="",
        because="",
    )


def _patterns(renames: dict[str, str]) -> Iterator[tuple[str, str]]:
    return ((old.replace("#", "*"), new.replace("#", "*")) for old, new in sorted(renames.items()))
