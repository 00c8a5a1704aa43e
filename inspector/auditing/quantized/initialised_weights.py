"""Linear layers of compressed-tensors without a `weight`, which transformers 5 reads where it initializes modules.

`_init_weights` of some types reads `weight` of its linear layers also for modules that are loaded, and a packed layer
has `weight_packed` instead. Measured with transformers 5.24, compressed-tensors 0.19 and files of llm-compressor: the
load ends in "AttributeError: 'Linear' object has no attribute 'weight'"; layers with a `weight` and a scale load.
"""

from __future__ import annotations

from typing import Final

from inspector.auditing.result import Audit
from inspector.loading.given import Recorded
from inspector.loading.outcome import REFUSES

METHOD: Final = "compressed-tensors"
PACKED: Final = "weight_packed"
T5_LAYERS: Final = ("q", "k", "v", "o", "wi", "wi_0", "wi_1", "wo")
READ: Final = {
    "t5": T5_LAYERS, "longt5": T5_LAYERS, "gpt_bigcode": ("c_proj",), "mamba2": ("out_proj",),
    "modernbert": ("Wi", "Wo", "Wqkv"), "recurrent_gemma": ("q_proj", "k_proj", "v_proj", "o_proj", "linear_x"),
    "siglip": ("q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"),
}  # fmt: skip
"""Model type -> the last parts of the names of layers whose weights it reads."""


def unset_weight(audited: Audit) -> Recorded | None:
    """The behaviour of version 5 on packed layers whose weights it reads to initialize them; None without such ones."""
    unpacked, config = audited.unpacked, audited.checkpoint.config
    if unpacked is None or config is None or unpacked.settings.base.method != METHOD:
        return None
    layers = READ.get(str(config.values.get("model_type")), ())
    for line in audited.lines if layers else ():
        layer = line.family.removesuffix(".weight").rpartition(".")[2]
        if line.packed is not None and line.packed.values == PACKED and layer in layers:
            return Recorded(REFUSES, f"it initializes {layer}.weight, which packed layers do not have")
    return None
