"""Checks strategy and group size of compressed-tensors, which its loader refuses if they contradict each other.

Source: `QuantizationArgs.validate_model_after` of compressed-tensors 0.20, measured with transformers 5.23: the
strategy "group" needs a size above 0, and no other strategy may have one. vLLM reads the block with the same class.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from inspector.findings.types.packing_config import PackingConfigDisagrees
from inspector.quantization.module import Tensors, UnpackedTensor
from inspector.quantization.schemes.compressed_tensors_config import WHOLE
from inspector.quantization.stated import ModuleSettings

GROUPS: Final = "group"
ROW: Final = -1
"""The group size that makes each row one group."""


def by_groups(opened: UnpackedTensor, tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    """The module with the refused settings that are not reported yet."""
    found = {fault.what for fault in opened.faults if isinstance(fault, PackingConfigDisagrees)}
    stated, packed = setting.group_size, opened.packed
    if packed is None or not found.isdisjoint(("strategy", "group_size", "bits")):
        return opened
    size = packed.group_size if packed.group_size is not None and packed.group_size > 0 else None
    positive = stated is not None and stated > 0
    if setting.strategy in WHOLE and positive and size is None:
        return _with(opened, setting, "group_size", ROW)
    if setting.strategy != GROUPS or positive:
        return opened
    if size is not None:
        return _with(opened, setting, "group_size", size)
    scale = tensors.get("weight_scale")
    whole = scale is None or scale.elements == 1
    return _with(opened, setting, "strategy", WHOLE[1] if whole else WHOLE[0])


def _with(opened: UnpackedTensor, setting: ModuleSettings, what: str, weights: object) -> UnpackedTensor:
    fault = PackingConfigDisagrees(
        key=setting.key(what), what=what, config=getattr(setting, what), plain=True, weights=weights
    )
    return replace(opened, faults=(*opened.faults, fault))
