"""The methods with loaders for each quantization format, and the modules that these loaders quantize.

Sources: `quantizers/auto.py` and `integrations` of transformers 5 (only `nn.Linear` is replaced; the output embeddings
are left out unless a list of skipped modules replaces this default), vLLM's `quantization` (gates are built without a
quantization), mlx-lm's `utils.py` (embeddings, heads and routers are quantized as well).
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Final

from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings

ROWS: Final = ("compressed-tensors", "modelopt", "quark", "fp8", "fbgemm_fp8", "auto-round", "bitnet")
_HALVES: Final = ("compressed-tensors", "modelopt", "quark", "auto-round")
METHODS_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "gptq": ("gptq", "auto-round"), "gptq-float-zeros": ("gptq",),
    "awq": ("awq", "auto-round"), "awq-gemv": ("awq",), "awq-gemv-fast": ("awq",), "llm-awq": ("awq",),
    "pack-quantized": ("compressed-tensors", "auto-round"), "sparse-24": ("compressed-tensors",),
    "sparse-bitmask": ("compressed-tensors",), "nvfp4": _HALVES, "mxfp4": _HALVES,
    "nf4": ("bitsandbytes",),
    "fp4": ("bitsandbytes",), "llm-int8": ("bitsandbytes",), "eetq": ("eetq",), "mlx": ("mlx", "metal"),
    "mlx-mxfp4": ("mlx",), "mlx-mxfp8": ("mlx",), "mlx-nvfp4": ("mlx",), "higgs": ("higgs",),
    "marlin": ("gptq", "awq", "marlin", "compressed-tensors"), "qqq": ("qqq",), "fp-quant": ("fp-quant",),
    "mxfp6": ("quark",),
    "quark-int4": ("quark",), "int4-awq": ("modelopt",), "fp8": ROWS, "int8": ROWS, "mxfp8": ROWS,
    "fp8-block": ("fp8", "auto-round", "deepseek", "compressed-tensors", "w4afp8"),
    "w4afp8": ("w4afp8",), "chatglm": ("chatglm",), "int8-block": ("fp8",),
    "torchao": ("torchao",), "hqq": ("hqq",), "sinq": ("sinq",), "quanto": ("quanto",), "quanto-packed": ("quanto",),
    "bitnet": ("bitnet",), "aqlm": ("aqlm",), "vptq": ("vptq",), "spqr": ("spqr",), "exl2": ("exl2",),
    "exl3": ("exl3",), "quip": ("quip",), "ascend-w8a8": ("ascend",), "gemma": ("gemma",),
}  # fmt: skip
"""Scheme -> the methods with loaders that read it, the usual one first."""
BY_VALUES: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("mxfp4", "blocks"): ("mxfp4",), ("marlin", "B"): ("gptq", "marlin"), ("marlin", "qweight"): ("awq",),
    ("marlin", "weight_packed"): ("compressed-tensors",), ("nvfp4", "weight"): ("modelopt", "quark"),
    ("nvfp4", "weight_packed"): ("compressed-tensors", "auto-round"), ("mxfp4", "weight"): ("quark", "modelopt"),
    ("mxfp4", "weight_packed"): ("compressed-tensors", "auto-round"),
}  # fmt: skip
"""(scheme, suffix of its values) -> the methods, for schemes that several loaders read under other names."""
METHODS: Final = frozenset(
    method for table in (METHODS_OF, BY_VALUES) for methods in table.values() for method in methods
)
"""The known methods; an unknown method may read any scheme."""


CHATGLM_METHOD: Final = "chatglm"
"""The method of ChatGLM's own code, and its model type."""
KEYS_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "quant_algo": ("modelopt",), "producer": ("modelopt",), "config_groups": ("compressed-tensors",),
    "global_quant_config": ("quark",),
    "weight_block_size": ("fp8", "auto-round", "deepseek", "w4afp8"), "packing_format": ("auto-round", "gptq", "awq"),
}  # fmt: skip
"""Key of a block -> the methods with loaders that read it; the first method writes it."""


def is_of_chatglm(config: Mapping[str, object]) -> bool:
    """True for a config of ChatGLM's own code, which reads its key and no block."""
    return config.get("model_type") == CHATGLM_METHOD


def is_foreign(settings: QuantizationSettings) -> bool:
    """True if the settings state an unknown method, so that names and shapes may have any meaning."""
    return settings.known and settings.base.method not in METHODS


def is_of_another(scheme: str, settings: QuantizationSettings) -> bool:
    """True if the stated method is known and its loaders do not read a scheme: the settings then say
    nothing about it.
    """
    stated = settings.base.method
    return stated in METHODS and stated not in METHODS_OF.get(scheme, (stated,))


def written_for(keys: Container[str], stated: str | None) -> str | None:
    """The method with the keys of a block; None if the stated method reads some of them or if they show no method."""
    found = [methods for key, methods in KEYS_OF.items() if key in keys]
    if stated not in METHODS or not found or any(stated in methods for methods in found):
        return None
    return found[0][0]


def method_of_block(keys: Container[str], scheme: str) -> str | None:
    """The method of a block that states none, by its keys and the scheme of the weights; None if
    several methods fit.
    """
    methods = METHODS_OF.get(scheme, ())
    written = next((found[0] for key, found in KEYS_OF.items() if key in keys and found[0] in methods), None)
    return written or (methods[0] if methods and methods not in (ROWS, _HALVES) else None)


def method_for(
    scheme: str, setting: ModuleSettings, values: str, written: str | None = None, *, by_row: bool = False
) -> str | None:
    """The method to state for a scheme: the stated method if its loader reads the scheme or is unknown.

    values: the suffix of the quantized values. written: the method whose keys the block has, if the stated method reads
    none of them. by_row: each row of a matrix has a scale.
    """
    stated = setting.method
    methods = BY_VALUES.get((scheme, values)) or METHODS_OF.get(scheme)
    if methods is not None and scheme in _BY_WEIGHT_SCALE and setting.block is not None:
        methods = tuple(method for method in methods if method not in SCALE_INV_METHODS)
    if methods is not None and scheme == "fp8" and by_row:
        methods = (_BY_ROW, *(method for method in methods if method not in (_BY_ROW, _OF_WHOLE)))
    if methods is not None and written in methods:
        return written
    if stated is None or methods is None or stated in methods or stated not in METHODS:
        return stated
    if scheme == _BY_INVERSE and LAYERS_OF_MODELOPT in setting.prefix:
        return stated
    return methods[0]


_BY_INVERSE: Final = "fp8-block"
"""The scheme with a `weight_scale_inv`, which vLLM's layers of ModelOpt do not have; its mixed experts do."""
LAYERS_OF_MODELOPT: Final = "quantized_layers"
"""The key with an algorithm for each module."""


_BY_WEIGHT_SCALE: Final = frozenset({"fp8", "int8", "mxfp8"})
"""Schemes with a `weight_scale`."""
_BY_ROW: Final = "fbgemm_fp8"
_OF_WHOLE: Final = "fp8"
"""The method with a loader in vLLM that reads a `weight_scale` for the whole matrix; the loader in transformers reads
none.
"""
SCALE_INV_METHODS: Final = frozenset({"fp8", "auto-round"})
"""Methods with loaders that read block scales from `weight_scale_inv`: FP8Linear in transformers, vLLM's fp8."""


def follows_tensors(scheme: str, special: bool) -> bool:
    """True if loaders decide by the stored tensors of a module, and not by the config, whether it is quantized.

    torchao states it in the metadata of each tensor; mlx-lm checks for `scales`, except for modules that the config
    lists (special). Measured: transformers 5.23 with torchao 0.18.
    """
    return scheme == "torchao" or (scheme.startswith("mlx") and not special)


BY_ENDS: Final = frozenset({
    "aqlm", "awq", "bitnet", "bitsandbytes", "eetq", "fbgemm_fp8", "fp8", "gemma", "higgs", "hqq", "metal", "mxfp4",
    "quanto", "sinq", "spqr", "torchao", "vptq",
})  # fmt: skip
"""Methods with a list that transformers reads with `should_convert_module` of `quantizers/quantizers_utils.py`."""
_PATTERN: Final = frozenset("*?[]()|^$+\\")


def is_read(entry: str, module: str, stacks: int) -> bool:
    """True if an entry matches a module in transformers 5: the beginning of its name up to a dot, or its end.

    module: the family. stacks: the number of distinct first words of the names with layers; if there are several, names
    in the file differ from those of the model except at the end.
    """
    if not entry or not _PATTERN.isdisjoint(entry):
        return True
    named = ".".join("#" if part.isdecimal() else part for part in entry.split("."))
    return module.endswith(named) or (stacks < 2 and f"{module}.".startswith(f"{named}."))


_EVERY_LINEAR: Final = frozenset({
    "hqq", "sinq", "quanto", "quanto-packed", "torchao", "nf4", "fp4", "llm-int8", "unknown",
})  # fmt: skip
"""Schemes that are applied to every linear layer, including a router that is one."""
_EVERY_MODULE: Final = frozenset({"torchao", "unknown"})
_HEADS_LEFT_OUT: Final = frozenset(
    {"gptq", "gptq-float-zeros", "awq", "awq-gemv", "awq-gemv-fast", "nf4", "fp4", "llm-int8", "eetq"}
)
"""Schemes with loaders that exclude the head unless the config states otherwise."""
_LISTS_ADDED: Final = frozenset({"gptq", "awq", "awq-gemv", "awq-gemv-fast"})
"""Schemes with a list of unquantized modules that is added to the excluded head; for other schemes it replaces the
head.

Source: `get_modules_to_not_convert` and its callers in transformers 5; GPTQModel reads `lm_head`.
"""


def plain_expected(
    scheme: str, role: str, axes: int, settings: QuantizationSettings, *, embeds_tokens: bool = True
) -> bool:
    """True if loaders of a scheme build an unquantized module for a role, whatever is stored.

    axes: number of axes of the weight. A norm with a matrix (modulation by time or text) has a linear layer.
    embeds_tokens: the model has an embedding of tokens. Without one transformers 5 knows no output embedding
    (`get_output_embeddings`) and quantizes the head as any other layer (measured for the CTC heads of speech models).
    """
    if scheme.startswith("mlx") or scheme in _EVERY_MODULE:
        return False
    if role.startswith("norm"):
        return axes < 2
    if role == "router":
        return scheme not in _EVERY_LINEAR
    if role == "embed.token":
        return scheme in _HEADS_LEFT_OUT
    if role == "head.token" and scheme in _HEADS_LEFT_OUT and embeds_tokens:
        listed = settings.ignored and scheme not in _LISTS_ADDED
        return settings.known and not listed and not settings.special and not settings.base.head
    return False
