"""Reads quantization settings from the places where tools write them.

config.json has `quantization_config` (at the top or for the text model; `compression_config` in old
compressed-tensors) or MLX's `quantization`; ModelOpt writes hf_quant_config.json, GPTQ and AWQ tools
quantize_config.json, quant_config.json, auto-round quantization_config.json.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final

from msgspec.structs import replace

from inspector.loader.config_file import QUANTIZATION_KEYS, QUANTO_FILE, QUANTO_MAP, SIDE_FILES
from inspector.quantization.config_block import ConfigBlock, Values
from inspector.quantization.loaders import CHATGLM_METHOD, is_of_chatglm, written_for
from inspector.quantization.settings import NO_SETTINGS, QuantizationSettings
from inspector.quantization.signs import BITS_OF_CHATGLM
from inspector.quantization.stated import ModuleSettings

METHODS: Final[Mapping[str, str]] = {
    "gptq": "gptq", "awq": "awq", "auto-round": "auto_round", "fp8": "fp8", "fbgemm_fp8": "fp8",
    "compressed-tensors": "compressed_tensors_config", "bitsandbytes": "bitsandbytes", "modelopt": "modelopt",
    "quark": "quark", "mlx": "mlx", "hqq": "hqq", "torchao": "torchao", "vptq": "vptq", "quanto": "quanto",
    "aqlm": "aqlm", "bitnet": "bitnet", "sinq": "sinq", "fp-quant": "fp_quant", "spqr": "spqr",
    "gemma": "gemma", "w4afp8": "w4afp8", "chatglm": "chatglm",
}  # fmt: skip
"""Method -> the file in `schemes` that reads its config; for other methods only bits and group size are read."""
OTHER_NAMES: Final[Mapping[str, str]] = {
    "intel/auto-round": "auto-round", "modelopt-fp4": "modelopt", "modelopt-mixed": "modelopt", "awq-marlin": "awq",
    "gptq-marlin": "gptq", "gptqmodel": "gptq", "fbgemm-fp8": "fbgemm_fp8", "bnb": "bitsandbytes",
    "compressed-tensor": "compressed-tensors",
}  # fmt: skip
DEFAULTS: Final[Mapping[str, Mapping[str, object]]] = {
    "gptq": {"bits": None, "group_size": 128}, "awq": {"bits": 4, "group_size": 128},
}  # fmt: skip
"""Method -> field -> its default in the config class of transformers (`utils/quantization_config.py`), None without."""
OF_TENSORRT: Final = "quant_algo"
"""A key of the block that TensorRT-LLM writes under the same name as mlx-lm."""
TEXT_PARTS: Final = ("text_config", "llm_config", "language_config", "thinker_config")


def settings_of(config: Values, side: Mapping[str, Values] | None = None) -> QuantizationSettings:
    """The settings of a checkpoint. config: config.json's values; side: file name -> values of SIDE_FILES."""
    block = _found(config, side or {})
    if block is None:
        return NO_SETTINGS
    read = _reader(block.method)
    settings = read(block)
    for name, values in (side or {}).items():
        if name in SIDE_FILES and name != block.key and settings.base.group_size is None:
            beside = ConfigBlock(name, values, _method(name, values))
            if beside.method == block.method:
                settings = replace(settings, base=_with_group_size(settings.base, read(beside).base))
    settings = _with_defaults(settings, block)
    entries = (*settings.ignored, *(entry for entry, _ in settings.special))
    unclear = tuple(entry.text for entry in entries if not entry.understood)
    written = written_for(block.values, block.method)
    return replace(settings, source=block.key, unclear=unclear, kv_cache=_kv_cache(block), written_for=written)


def _reader(method: str | None) -> Callable[[ConfigBlock], QuantizationSettings]:
    file = METHODS.get(method or "")
    if file is None:
        return _plain
    found: Callable[[ConfigBlock], QuantizationSettings] = import_module(
        f"inspector.quantization.schemes.{file}"
    ).settings
    return found


def _plain(block: ConfigBlock) -> QuantizationSettings:
    base = block.module_settings(bits=block.integer("bits"), group_size=block.integer("group_size"))
    return QuantizationSettings(base, ignored=block.ignored())


def _with_defaults(settings: QuantizationSettings, block: ConfigBlock) -> QuantizationSettings:
    """The settings with the defaults that transformers has for keys which its block does not state."""
    defaults = DEFAULTS.get(block.method or "")
    if defaults is None or block.key != "quantization_config" or "w_bit" in block.values:
        return settings

    def completed(setting: ModuleSettings) -> ModuleSettings:
        lacking = {what: default for what, default in defaults.items() if getattr(setting, what) is None}
        return replace(setting, absent=lacking) if lacking else setting

    special = tuple((entry, completed(setting)) for entry, setting in settings.special)
    return replace(settings, base=completed(settings.base), special=special)


def _with_group_size(setting: ModuleSettings, beside: ModuleSettings) -> ModuleSettings:
    """The settings with the group size from a file next to the config, if the config does not state it."""
    keys = {**setting.keys, "group_size": beside.key("group_size")}
    return replace(setting, group_size=beside.group_size, keys=keys) if beside.group_size is not None else setting


def _found(config: Values, side: Mapping[str, Values]) -> ConfigBlock | None:
    """The block that loaders use, with its method."""
    stated = {name: config[name] for name in QUANTIZATION_KEYS if isinstance(config.get(name), Mapping)}
    if OF_TENSORRT in stated.get("quantization", {}):
        del stated["quantization"]
    if "quantization_config" in stated and "quantization" in stated:  # MLX writes the same block under both keys
        stated = {"quantization": stated["quantization"]}
    stated |= {name: side[name] for name in SIDE_FILES if isinstance(side.get(name), Mapping)}
    for name, values in stated.items():
        return ConfigBlock(name, values, _method(name, values))
    for part in TEXT_PARTS:
        inner = config.get(part)
        if isinstance(inner, Mapping) and (found := _found(inner, {})) is not None:
            return ConfigBlock(f"{part}.{found.key}", found.values, found.method)
    quantized = bool(config.get(BITS_OF_CHATGLM)) and is_of_chatglm(config)
    return ConfigBlock(BITS_OF_CHATGLM, config, CHATGLM_METHOD) if quantized else None


def _method(key: str, values: Values) -> str | None:
    if key.endswith("quantization") and "quant_method" not in values and "config_groups" not in values:
        return "mlx"
    stated = values.get("quant_method")
    if isinstance(stated, str):
        name = stated.casefold().replace("_", "-")
        return OTHER_NAMES.get(name, name)
    signs = {
        "quanto": key in (QUANTO_FILE, QUANTO_MAP),
        "modelopt": key == "hf_quant_config.json"
        or isinstance(values.get("quantization"), Mapping)
        or "quant_algo" in values,
        "awq": "w_bit" in values or "q_group_size" in values or key == "quant_config.json",
        "compressed-tensors": "config_groups" in values or key == "compression_config",
        "bitsandbytes": values.get("load_in_4bit") or values.get("load_in_8bit"),
        "mlx": "mode" in values and "bits" in values,
        "gptq": key in ("quantize_config.json", "quantization_config.json")
        or ("bits" in values and "desc_act" in values),
    }
    return next((method for method, shown in signs.items() if shown), None)


def _kv_cache(block: ConfigBlock) -> bool | None:
    """True if the key-value cache is quantized; None if not stated."""
    values = block.inner("quantization").values or block.values
    stated = [bool(values[key]) for key in ("kv_cache_scheme", "kv_cache_quant_algo") if key in values]
    return stated[0] if stated else None
