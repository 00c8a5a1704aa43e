"""AWQ weights without the scales of an activation function that transformers builds for their type.

Source: `AWQ_SCALES_MAPPINGS` and `replace_quantization_scales` of transformers 5.23. Measured with GPTQModel for
GPT-NeoX as auto-round writes it: `mlp.act.scales` of each layer is missing and holds what was in memory, also NaN.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.auditing.result import Audit
from inspector.loading.given import Recorded
from inspector.loading.outcome import RANDOM

SCALED: Final[Mapping[str, tuple[str, str]]] = {
    "bloom": ("gelu_impl", "dense_h_to_4h"), "falcon": ("act", "dense_h_to_4h"), "gpt_bigcode": ("act", "c_fc"),
    "gptj": ("act", "fc_in"), "gpt_neox": ("act", "dense_h_to_4h"), "mpt": ("act", "up_proj"),
    "starcoder2": ("act", "c_fc"),
}  # fmt: skip
"""Model type -> name of the function, and of the layer before it."""
METHOD: Final = "awq"


def unscaled_activations(audited: Audit) -> Recorded | None:
    """What version 5 does where no scale of an activation function is stored; None where it builds none."""
    config = audited.checkpoint.config
    kind = None if config is None else config.values.get("model_type")
    if audited.unpacked is None or audited.unpacked.settings.base.method != METHOD or kind not in SCALED:
        return None
    function, layer = SCALED[str(kind)]
    if any(one.key.endswith(f".{function}.scales") for one in audited.unpacked.helpers):
        return None
    if not any(line.family.endswith(f".{layer}.weight") for line in audited.lines):
        return None
    return Recorded(RANDOM, f"it builds {function}.scales for {kind} under awq, and the file has none")
