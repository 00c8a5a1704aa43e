"""Settings of a quantization block that vLLM refuses, whatever the weights are.

Source: `from_config` and `__init__` of the classes in `model_executor/layers/quantization` of vLLM 0.33, which raise
ValueError for them before a weight is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.loading.awq import misread_layout
from inspector.loading.lists import lists_of

NEEDED: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "gptq": (("bits",), ("group_size",), ("desc_act",), ("sym",)),
    "awq": (("w_bit", "bits"), ("q_group_size", "group_size"), ("zero_point",)),
    "fp8": (("activation_scheme",),),
    "fbgemm_fp8": (("modules_to_not_convert",), ("activation_scale_ub",)),
    "fp_quant": (("hadamard_group_size",), ("forward_dtype",), ("forward_method",), ("modules_to_not_convert",)),
}
"""Method -> the keys that have no default in vLLM; of several in one entry, one is enough."""
SUPPLIED: Final = {"zero_point": True, "activation_scheme": "dynamic"}
"""A key -> its value where no input scale is stored: AWQ has zero points, and fp8 is dynamic."""


def refused_settings(
    values: Mapping[str, Any], *, has_input_scales: bool = False
) -> tuple[str, tuple[str, Any] | None] | None:
    """(why vLLM refuses the block of a config, the key and value with which it accepts it or None); None if it accepts
    the block.

    Only weights that agree with the block may be judged by it. has_input_scales: scales of activations are stored.
    """
    supplied: Mapping[str, Any] = {} if has_input_scales else SUPPLIED
    block = values.get("quantization_config")
    method = block.get("quant_method") if isinstance(block, Mapping) else None
    if not isinstance(block, Mapping) or not isinstance(method, str):
        return None
    method = method.lower()
    lacking = next((keys for keys in NEEDED.get(method, ()) if block.keys().isdisjoint(keys)), None)
    if lacking is not None:
        key = lacking[-1]
        return f"its block of {method} needs {' or '.join(lacking)}", (key, supplied[key]) if key in supplied else None
    if method == "gptq" and (block["bits"], block["sym"]) not in ((4, True), (8, True)):
        return f"{_version()} reads symmetric GPTQ of 4 or 8 bits, not {_stated(block, 'bits', 'sym')}", None
    if method == "awq" and (bits := block.get("w_bit", block.get("bits"))) != 4:
        return f"{_version()} reads AWQ of 4 bits, not {bits}", None
    if method == "awq" and (because := misread_layout(block)):
        return because, None
    if method == "fp8" and block.get("weight_block_size") is not None and block["activation_scheme"] != "dynamic":
        stated = _stated(block, "activation_scheme")
        setting = None if has_input_scales else ("activation_scheme", "dynamic")
        return f"it reads fp8 in blocks with dynamic activations only, not {stated}", setting
    return None


SIDE_FILE: Final = "hf_quant_config.json"
"""Where ModelOpt up to 0.29 writes its settings; read without a block in config.json."""
FIELDS: Final = ("group_size", "kv_cache_quant_algo", "exclude_modules")
"""Keys that must be there for NVFP4, even as null."""


def refused_side_file(values: Mapping[str, Any], side: Mapping[str, Mapping[str, object]]) -> str:
    """Why vLLM refuses the settings beside a config without a block; "" if it accepts them or reads none.

    side: file -> content. Source: `ModelOptNvFp4Config._from_config` in `modelopt.py`.
    """
    stated = side.get(SIDE_FILE)
    settings = None if stated is None else stated.get("quantization")
    if values.get("quantization_config") is not None or stated is None or stated.get("quant_method"):
        return ""
    producer = stated.get("producer")
    if not isinstance(producer, Mapping) or producer.get("name") != "modelopt":
        return f"{SIDE_FILE} does not state modelopt as its producer, so that it quantizes nothing"
    algorithm = str(settings.get("quant_algo")).upper() if isinstance(settings, Mapping) else ""
    lacking = [key for key in FIELDS if isinstance(settings, Mapping) and key not in settings]
    return f"for NVFP4 {SIDE_FILE} must state {', '.join(lacking)}" if lacking and algorithm == "NVFP4" else ""


def _version() -> str:
    return f"version {lists_of('vllm')['version']}"


def _stated(block: Mapping[str, Any], *keys: str) -> str:
    return " and ".join(f"{key} {_word(block[key])}" for key in keys)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
