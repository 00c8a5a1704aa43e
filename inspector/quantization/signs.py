"""A quick check for any sign of quantization, so that plain checkpoints import none of the schemes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from inspector.loader.config_file import QUANTIZATION_KEYS

ENDINGS: Final = (
    "scale", "scales", "scale_inv", "scale_2", "zero", "zeros", "zero_point", "qweight", "g_idx", "absmax", "SCB",
    "quant_map", "__nf4", "__fp4", "_packed", "_blocks", "_qdata", "W_q", "._data", ".codes", ".indices", "_weights",
    "trellis", ".compressed", ".B", "q_scale_max", "_shape", ".weight_format", ".q_invperm", ".codebooks", ".Qidxs",
    "_quantizer._amax",
)  # fmt: skip
"""Ends of names that are typical of quantized modules."""
DTYPES: Final = frozenset({"U32", "I32", "U8", "I8", "I16", "U16", "F4", "F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ",
                           "F8_E5M2FNUZ"})  # fmt: skip
"""Dtypes of packed weights."""


BITS_OF_CHATGLM: Final = "quantization_bit"
"""The key at the top of the configs of ChatGLM's own code, which have no block; 0 for plain weights."""


def may_be_packed(names: Iterable[str], dtypes: Iterable[str], config: Mapping[str, Any]) -> bool:
    """True if a key, a dtype or the config indicates quantization."""
    if any(key in config for key in QUANTIZATION_KEYS) or config.get(BITS_OF_CHATGLM):
        return True
    inner = config.get("text_config")
    if isinstance(inner, Mapping) and any(key in inner for key in QUANTIZATION_KEYS):
        return True
    return any(name.endswith(ENDINGS) for name in names) or not DTYPES.isdisjoint(dtypes)
