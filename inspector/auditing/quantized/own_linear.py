"""Models with linear layers of a class of their own, which transformers 5 does not replace for bitsandbytes.

Source: `replace_with_bnb_linear`, which compares the class with `nn.Linear`; version 4 asks for an instance. Measured
for Falcon with transformers 5.24 and bitsandbytes 0.50: it saves plain weights under the block and loads them
completely. Weights of four bits have another shape than its layers; of eight bits it takes the numbers for weights.
"""

from __future__ import annotations

from typing import Final

from inspector.auditing.result import Audit
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.given import Recorded
from inspector.loading.outcome import ALTERED, REFUSES

METHOD: Final = "bitsandbytes"
CLASSES: Final = {"falcon": "FalconLinear"}
"""Model type -> the class of all linear layers inside its layers."""
EIGHT_BIT: Final = "llm-int8"


def own_linear(checkpoint: Checkpoint, method: str | None) -> str:
    """The class of the linear layers, if the loader of a method leaves them plain; "" if it replaces them."""
    config = checkpoint.config
    if method != METHOD or config is None:
        return ""
    return CLASSES.get(str(config.values.get("model_type")), "")


def in_own_linear(audited: Audit) -> Recorded | None:
    """The behaviour of version 5 on quantized weights of such layers; None without them."""
    if audited.unpacked is None or not any(audited.unpacked.schemes.values()):
        return None
    name = own_linear(audited.checkpoint, audited.unpacked.settings.base.method)
    if not name:
        return None
    because = f"it leaves layers of the class {name} plain, and their weights are quantized"
    return Recorded(ALTERED if audited.unpacked.schemes.get(EIGHT_BIT) else REFUSES, because)
