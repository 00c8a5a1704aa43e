"""Finds an adapter of LLaVA's own code without the file of the modules that were trained beside it.

Source: `load_pretrained_model` in LLaVA's `llava/model/builder.py`: of a folder with "lora" in its name it loads
non_lora_trainables.bin before the adapter, and takes it from the Hub if it is not there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import SIBLINGS_KEPT, Checkpoint
from inspector.loader.config_file import named_class

TRAINED: Final = "non_lora_trainables.bin"
PROJECTOR: Final = "mm_projector"


def trained_module_absent(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The finding on a folder without that file, whose config is one of LLaVA's own classes with a projector."""
    config = checkpoint.config
    if config is None or checkpoint.adapter is None or checkpoint.alone or not checkpoint.folder:
        return
    known = len(checkpoint.siblings) < SIBLINGS_KEPT
    of_llava = str(named_class(config.values) or "").startswith("Llava") and bool(config.values.get("mm_vision_tower"))
    if not known or not of_llava or "mm_projector_type" not in config.values or TRAINED in checkpoint.siblings:
        return
    if any(PROJECTOR in name for name in checkpoint.tensors):
        return
    from inspector.findings.adapters.beside import TrainedModuleAbsent

    yield TrainedModuleAbsent(place=Place(file=TRAINED))
