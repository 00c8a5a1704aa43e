"""The quantization methods that each version of transformers has a quantizer for.

Version 5 also reads the block in `text_config`, and applies it to the whole model (measured with LLaVA and
compressed-tensors: loading is complete if the block excludes the tower). 4.57 does not read the block there.

With any other method `from_pretrained` logs "skipping" and builds a model without quantization. Source:
`AUTO_QUANTIZATION_CONFIG_MAPPING` in `quantizers/auto.py`; measured with exl2, exl3, modelopt and marlin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.architectures.catalog import letters
from inspector.architectures.value_rules import QUANTIZATION
from inspector.findings.finding import NO_METHOD, NO_QUANTIZER
from inspector.loading.lists import lists_of
from inspector.loading.tables import NEWEST, OLDER

_BOTH: Final = frozenset({
    "aqlm", "auto-round", "awq", "bitnet", "bitsandbytes", "bitsandbytes_4bit", "bitsandbytes_8bit",
    "compressed-tensors", "eetq", "fbgemm_fp8", "fp8", "fp_quant", "gptq", "higgs", "hqq", "mxfp4", "quanto", "quark",
    "spqr", "torchao", "vptq",
})  # fmt: skip
METHODS: Final[Mapping[str, frozenset[str]]] = {
    OLDER: _BOTH,
    NEWEST: _BOTH | {"fouroversix", "gemma", "gguf", "metal", "mxfp8", "nvfp4", "sinq"},
}


_OF_MLX: Final = frozenset({
    "awq", "bitnet", "compressed-tensors", "fp8", "gptq", "modelopt", "mxfp4", "mxfp8",
})  # fmt: skip
PROGRAMS: Final = ("vllm", "mlx")
"""Programs whose lists of quantization methods are known.

Sources: `QuantizationMethods` in vLLM's `layers/quantization/__init__.py` and `_verify_quantization` in its
`config/model.py`, which refuses all others unless a plugin registers them; `load_model` in `mlx_lm/utils.py` 0.32.2,
which then builds a model without quantization.
"""
_OVERRIDDEN: Final = frozenset({"auto-round"})
"""Methods that vLLM reads by another name (`override_quantization_method`)."""


def methods_of(program: str) -> frozenset[str]:
    """The values of `quant_method` that a program knows."""
    return _OF_MLX if program == "mlx" else lists_of(program)["methods"] | _OVERRIDDEN


def unlisted_by(program: str, values: Mapping[str, Any]) -> str | None:
    """The method of a config that a program's list does not contain; None if it does, or if no method is stated."""
    block = values.get(QUANTIZATION)
    method = block.get("quant_method") if isinstance(block, Mapping) else None
    return method if isinstance(method, str) and method.lower() not in methods_of(program) else None


def of_text_model(values: Mapping[str, Any]) -> bool:
    """True if the config of the text model has the block, and the outer config does not."""
    text = values.get("text_config")
    return not values.get(QUANTIZATION) and isinstance(text, Mapping) and isinstance(text.get(QUANTIZATION), Mapping)


def unread_method(values: Mapping[str, Any], major: str) -> str | None:
    """The method of a config that a version of transformers has no quantizer for; None if it has one.

    Integers of bitsandbytes may be configured without a method.
    """
    block = values.get(QUANTIZATION)
    method = block.get("quant_method") if isinstance(block, Mapping) else None
    return method if isinstance(method, str) and method not in METHODS[major] else None


def meant_method(method: str, major: str) -> str | None:
    """The method of a version that an unknown one is another spelling or the usual short name of."""
    spelled = {letters(one): one for one in METHODS[major]}
    return spelled.get(OTHER_NAMES.get(letters(method), letters(method)))


OTHER_NAMES: Final = {"bnb": "bitsandbytes", "autogptq": "gptq", "gptqmodel": "gptq", "autoawq": "awq"}
"""Names of programs that quantize -> the method of what they write."""
_OF_DIFFUSERS: Final = frozenset({
    "auto-round", "bfl", "bitsandbytes_4bit", "bitsandbytes_8bit", "gguf", "modelopt", "nunchaku_lite", "quanto",
    "sdnq", "torchao",
})  # fmt: skip
"""Methods of diffusers 0.42 (`AUTO_QUANTIZATION_CONFIG_MAPPING` in its `quantizers/auto.py`), which refuses others."""
OF_BITSANDBYTES: Final = ("load_in_4bit", "load_in_8bit")
"""Keys of a block that is read as bitsandbytes whatever its method is."""


def refused_by_diffusers(values: Mapping[str, Any]) -> str:
    """Why diffusers refuses the quantization block of a config; "" if it knows the method."""
    block = values.get(QUANTIZATION)
    if not isinstance(block, Mapping) or any(block.get(key) for key in OF_BITSANDBYTES):
        return ""
    method = block.get("quant_method")
    if method is None:
        return NO_METHOD
    return "" if method in _OF_DIFFUSERS else f"{NO_QUANTIZER} {method}"
