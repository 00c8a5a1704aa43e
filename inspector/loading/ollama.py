"""Predicts which quantized safetensors ollama's converter does not read.

Source: `convert/reader_safetensors.go` and `convert/tensor.go` at fb30760996: it reads floats, and fp8 in blocks with a
scale each and a block size in config.json; of all other dtypes it stops with "unknown data type". Bytes are copied as
they are, with their scales as further tensors, which llama.cpp's rules refuse. `convert_gptoss.go` reads MXFP4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite, isnan
from typing import Any, Final

from inspector.architectures.value_rules import QUANTIZATION

LOADER: Final = "ollama"
READS: Final = "GGUF files, and safetensors that its converter reads"
READ: Final = frozenset({"F32", "F16", "BF16"})
FP8: Final = "F8_E4M3"
BYTES: Final = "U8"
OF_BYTES: Final = frozenset({"GptOssForCausalLM"})
"""Classes whose packed bytes the converter reads."""
BLOCK_SIZE: Final = "weight_block_size"
BLOCK_STRUCTURE: Final = "block_structure"
"""Keys with the rows and columns of a block: of fp8 itself, and of the weights of a group of compressed-tensors."""
FLOATS: Final = "float-quantized"


def no_number(values: Mapping[str, Any]) -> tuple[str, str]:
    """(key, text) of the first number that Python writes and that is not JSON, so that `encoding/json` of Go stops with
    "invalid character"; ("", "") without one.
    """
    waiting: list[tuple[str, Any]] = list(values.items())[::-1]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, float) and not isfinite(value):
            return key, "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        waiting.extend([(f"{key}.{below}", one) for below, one in inner][::-1])
    return "", ""


def dtype_not_read(class_name: str | None, values: Mapping[str, Any], dtypes: Iterable[str]) -> str:
    """The dtype of quantized weights, or of what belongs to them, that the converter does not read; "" if it reads all.

    dtypes: of all stored tensors.
    """
    read = {*READ, *([BYTES] if class_name in OF_BYTES else ()), *([FP8] if _states_blocks(values) else ())}
    return next((one for one in sorted(set(dtypes)) if one not in read), "")


def _states_blocks(values: Mapping[str, Any]) -> bool:
    """True if the config states the size of blocks of fp8 where the converter looks for it."""
    found = (_block_of(values), _block_of(values.get("text_config")))
    return any(_has_size(block) for block in found)


def _block_of(values: object) -> Mapping[str, Any]:
    keys = ("quantization", QUANTIZATION, "compression_config")
    stated = (values.get(key) for key in keys) if isinstance(values, Mapping) else ()
    return next((one for one in stated if isinstance(one, Mapping)), {})


def _has_size(block: Mapping[str, Any]) -> bool:
    method = str(block.get("quant_method")).lower()
    if method == "fp8" and _is_pair(block.get(BLOCK_SIZE)):
        return True
    groups = block.get("config_groups")
    weights = [
        group.get("weights") for group in (groups.values() if isinstance(groups, Mapping) else ())
        if isinstance(group, Mapping) and str(group.get("format")).lower() == FLOATS
    ]  # fmt: skip
    return any(isinstance(one, Mapping) and _is_pair(one.get(BLOCK_STRUCTURE)) for one in weights)


def _is_pair(size: object) -> bool:
    return isinstance(size, list) and len(size) == 2
