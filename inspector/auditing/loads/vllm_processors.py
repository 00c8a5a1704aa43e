"""Predicts which folders vLLM refuses since they have no settings of the image processor that it builds.

Source: vLLM 0.33. `MiniCPMVProcessingInfo` in `models/minicpmv.py`, from which that of MiniCPM-o inherits, reads them
with `ImageProcessingMixin.get_image_processor_dict`, and `NemotronVLProcessingInfo` in `models/nemotron_vl.py` with
`AutoImageProcessor`. Other classes compute them from config.json, or take what `AutoProcessor` returns.
"""

from __future__ import annotations

from typing import Final

from inspector.auditing.json_beside import is_listed
from inspector.auditing.result import Audit
from inspector.findings.finding import NO_SETTINGS
from inspector.loading.processors import OF_PART, PROCESSORS

CLASSES: Final = frozenset({"Llama_Nemotron_Nano_VL", "MiniCPMO", "MiniCPMV"})


def without_processor(audited: Audit) -> str:
    """Why vLLM refuses a folder without settings of its image processor; "" if they are here, or not needed."""
    checkpoint = audited.checkpoint
    if audited.class_name not in CLASSES or not checkpoint.folder or checkpoint.origin is not None:
        return ""
    if not is_listed(checkpoint) or not checkpoint.siblings.keys().isdisjoint(PROCESSORS):
        return ""
    return f"{NO_SETTINGS} {OF_PART}, which is not here"
