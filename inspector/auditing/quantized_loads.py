"""What an audit knows of the quantization of a checkpoint that decides what loaders do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.architectures.value_rules import QUANTIZATION
from inspector.auditing.result import CLEAN, Audit
from inspector.loader.dtype import NO_WEIGHTS
from inspector.loading.quantizers import of_text_model


def has_unread_scales(audited: Audit) -> bool:
    """Whether weights are integers beside tensors that nothing reads."""
    if not any(line.layout.dtype in NO_WEIGHTS for line in audited.lines):
        return False
    from inspector.findings.types.dtypes import WeightsNotFloat

    return any(isinstance(one, WeightsNotFloat) and one.helpers for one in audited.findings)


def stacked_scales(audited: Audit) -> int:
    """The scales that are stored for all experts together while their weights are stored one by one."""
    if audited.unpacked is None or not audited.findings:
        return 0
    from inspector.findings.types.unpacked import ExpertScalesStacked

    return sum(one.modules for one in audited.findings if isinstance(one, ExpertScalesStacked))


def is_understood(audited: Audit, values: Mapping[str, Any]) -> bool | None:
    """Whether the quantization of a config is understood and complete; None without one."""
    if "quantization_config" not in values and "quantization" not in values and not of_text_model(values):
        return None
    return audited.unpacked is not None and not any(one.severity == "error" for one in audited.findings)


def _has_nothing_packed(audited: Audit) -> bool:
    """Whether a note says that no weight is packed."""
    from inspector.findings.types.undecided import NothingPacked

    return any(isinstance(one, NothingPacked) for one in audited.findings)


MODELOPT: Final = "modelopt"
OF_MODELOPT: Final = frozenset({
    "fp8", "fp8_per_channel_per_token", "fp8_pb_wo", "nvfp4", "w4a16_nvfp4", "mxfp8", "mixed_precision",
})  # fmt: skip
"""The algorithms of ModelOpt that vLLM has (`QUANT_ALGOS` in `layers/quantization/modelopt.py`).

It takes them from config.json, and without a block there from hf_quant_config.json (`transformers_utils/config.py`).
"""


def is_whole_for_vllm(audited: Audit) -> bool:
    """Whether all weights are as ModelOpt stores them, which vLLM reads and transformers does not."""
    if audited.unpacked is None or audited.verdict != CLEAN:
        return False
    stated = audited.unpacked.settings.base
    return stated.method == MODELOPT and stated.variant in OF_MODELOPT


STORAGE: Final = "bnb_4bit_quant_storage"
"""The dtype in which four-bit numbers are stored: vLLM's loader of bitsandbytes raises for any but bytes."""


def has_block_too_many(audited: Audit, values: Mapping[str, Any]) -> bool:
    """Whether vLLM reads the weights without the quantization block alone: plain experts under one of mxfp4."""
    block = values.get(QUANTIZATION)
    return isinstance(block, Mapping) and block.get("quant_method") == "mxfp4" and _has_nothing_packed(audited)


def refused_by_vllm(audited: Audit, values: Mapping[str, Any]) -> str:
    """Why vLLM refuses a quantization that transformers reads; "" where it does not.

    Its experts of a block for mxfp4 have packed numbers only (`models/gpt_oss.py`), transformers packs plain ones.
    """
    block = values.get(QUANTIZATION)
    if has_block_too_many(audited, values):
        return "the block says mxfp4, and the experts are stored plain"
    storage = block.get(STORAGE) if isinstance(block, Mapping) and block.get("load_in_4bit") else None
    return "" if storage in (None, "uint8") else f"it reads four-bit numbers from uint8 only, not {STORAGE} {storage}"


def why_unread(audited: Audit) -> str:
    """Why it is open what a loader does with quantized weights that are not understood or have errors."""
    if audited.unpacked is None:
        return "the quantization was not understood"
    return "what it does with quantized weights that have errors was not recorded"
