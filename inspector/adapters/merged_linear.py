"""Recognises adapters of joined matrices in the format of the first versions of PEFT (`MergedLinear` of 0.2 and
loralib).
"""

from __future__ import annotations

from typing import Final

from inspector.adapters.names import tuner_name
from inspector.findings.finding import Finding
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

UP: Final = ".lora_B.weight"
DOWN: Final = ".lora_A.weight"


def merged_linear(families: Families) -> Finding | None:
    """The finding on pairs in which the second matrix is a grouped convolution: [out, r, 1] together with [parts * r,
    in].
    """
    found = []
    for key, family in families.items():
        down = families.get(key.removesuffix(UP) + DOWN) if key.endswith(UP) and tuner_name(key) is not None else None
        if down is None or len(family.shapes) != 1 or len(down.shapes) != 1:
            continue
        (up_shape,), (down_shape,) = family.shapes, down.shapes
        grouped = len(up_shape) == 3 and up_shape[2] == 1 and up_shape[1] > 0
        if grouped and len(down_shape) == 2 and down_shape[0] and down_shape[0] % up_shape[1] == 0:
            found.append((family, up_shape, down_shape))
    if not found:
        return None
    from inspector.findings.adapters.misspelled import AdapterMergedLinear

    family, up_shape, down_shape = found[0]
    return AdapterMergedLinear(
        modules=sum(one.tensors for one, *_ in found),
        such_as=names_in(family.key.removesuffix(UP), family.stored[0].boxes, 1)[0],
        down=down_shape,
        up=up_shape,
    )
