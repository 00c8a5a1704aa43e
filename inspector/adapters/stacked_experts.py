"""Recognises adapters with the matrices of all experts in one tensor, as Tinker saves them and SGLang reads them.

Source: `_expand_expert_weights` in tinker_cookbook's `weights/_adapter.py`: `experts.w1`, `w2` and `w3` have a first
dim of the experts, or of size 1 where all share a matrix.
"""

from __future__ import annotations

import re
from typing import Final

from inspector.findings.finding import Finding
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

_UP: Final = re.compile(r"(.*\.experts\.w[123])\.lora_B\.weight")


def stacked_experts(families: Families) -> Finding | None:
    """The finding on pairs [experts or 1, rank, in] and [experts or 1, out, rank] of w1, w2 and w3."""
    found = []
    for key, family in families.items():
        module = _UP.fullmatch(key)
        down = families.get(f"{module[1]}.lora_A.weight") if module else None
        if module is None or down is None or len(family.shapes) != 1 or len(down.shapes) != 1:
            continue
        (up_shape,), (down_shape,) = family.shapes, down.shapes
        if len(up_shape) == len(down_shape) == 3 and up_shape[2] == down_shape[1]:
            found.append((module[1], family, up_shape, down_shape))
    if not found:
        return None
    from inspector.findings.adapters.misspelled import AdapterExpertsStacked

    module_key, family, up_shape, down_shape = found[0]
    return AdapterExpertsStacked(
        modules=sum(one.tensors for _, one, *_ in found),
        such_as=names_in(module_key, family.stored[0].boxes, 1)[0],
        down=down_shape,
        up=up_shape,
    )
