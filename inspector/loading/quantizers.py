"""The quantization methods that each version of transformers has a quantizer for.

Version 5 also reads the block of `text_config`, and applies it to the whole model (measured with LLaVA and
compressed-tensors: it is complete where the block leaves the tower out; 4.57 does not read it there).

With any other method `from_pretrained` says "skipping" and builds a model without a quantization. Source:
`AUTO_QUANTIZATION_CONFIG_MAPPING` in `quantizers/auto.py`; measured with exl2, exl3, modelopt and marlin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.architectures.value_rules import QUANTIZATION
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


def of_text_model(values: Mapping[str, Any]) -> bool:
    """Whether the text model of a config has the block, and the config none of its own."""
    text = values.get("text_config")
    return not values.get(QUANTIZATION) and isinstance(text, Mapping) and isinstance(text.get(QUANTIZATION), Mapping)


def unread_method(values: Mapping[str, Any], major: str) -> str | None:
    """The method of a config that a version of transformers has no quantizer for; None where it has one.

    The integers of bitsandbytes may be stated without a method.
    """
    block = values.get(QUANTIZATION)
    method = block.get("quant_method") if isinstance(block, Mapping) else None
    return method if isinstance(method, str) and method not in METHODS[major] else None
