"""The quantization block that a config lacks, as far as the stored tensors determine it.

Sources: `utils/quantization_config.py` of transformers 5 (GPTQConfig, AwqConfig, BitsAndBytesConfig,
FineGrainedFP8Config, Mxfp4Config) and mlx-lm's `utils.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from inspector.loader.packed import Packed
from inspector.quantization.unpacked import Unpacked

BLOCK: Final = "quantization_config"
ELSEWHERE: Final = frozenset({"quanto", "quanto-packed", "exl2", "exl3"})
"""Schemes whose loaders read other files than config.json."""


def main_scheme(unpacked: Unpacked) -> str | None:
    """The scheme of most quantized modules, where config.json is what names it to loaders."""
    found = Counter(dict(unpacked.schemes)).most_common(1)
    return found[0][0] if found and found[0][1] and found[0][0] not in ELSEWHERE else None


def one_packing(scheme: str, packed: Iterable[Packed]) -> Packed | None:
    """How all tensors of a scheme are packed; None where bits or group sizes differ, which one block cannot say."""
    sizes = {(one.bits, one.group_size): one for one in packed if one.scheme == scheme}
    return next(iter(sizes.values())) if len(sizes) == 1 else None


def block_for(scheme: str, packing: Packed | None, helpers: Iterable[str]) -> tuple[str, dict[str, Any] | None]:
    """(key in config.json, block), the block None where the tensors do not determine it.

    helpers: the families of the helpers.
    """
    keys = list(helpers)
    sizes: Mapping[str, Any] = {} if packing is None else _sizes(packing)
    if scheme.startswith("mlx"):
        mode = {"mode": scheme.removeprefix("mlx-")} if scheme != "mlx" else {}
        block = {key: sizes[key] for key in ("group_size", "bits")} | mode if len(sizes) == 2 else None
        return "quantization", block
    if scheme in ("gptq", "awq") and "bits" in sizes:
        size = {"group_size": -1, **sizes}
        version = {"zero_point": True, "version": "gemm"} if scheme == "awq" else {}
        return BLOCK, {"quant_method": scheme, "bits": size["bits"], "group_size": size["group_size"], **version}
    if scheme == "llm-int8":
        return BLOCK, {"quant_method": "bitsandbytes", "load_in_8bit": True}
    if scheme == "nf4":
        kind = "fp4" if any("bitsandbytes__fp4" in key for key in keys) else "nf4"
        nested = any(key.endswith(".nested_absmax") for key in keys)
        return BLOCK, {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": kind,
                       "bnb_4bit_use_double_quant": nested}  # fmt: skip
    own = scheme == "mxfp4" and any(key.endswith("_scales") for key in keys)  # other tools write weight_scale
    return BLOCK, {"quant_method": "mxfp4"} if own else None


def _sizes(packing: Packed) -> dict[str, int]:
    found = {"bits": int(packing.bits)} if packing.bits == int(packing.bits) else {}
    return found if packing.group_size is None else {**found, "group_size": packing.group_size}
