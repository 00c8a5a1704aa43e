"""What an audit knows of the quantization of a checkpoint that decides what loaders do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.architectures.value_rules import QUANTIZATION
from inspector.auditing.result import Audit
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


STORAGE: Final = "bnb_4bit_quant_storage"
"""The dtype in which four-bit numbers are stored: vLLM's loader of bitsandbytes raises for any but bytes."""


def refused_by_vllm(audited: Audit, values: Mapping[str, Any]) -> str:
    """Why vLLM refuses a quantization that transformers reads; "" where it does not.

    Its experts of a block for mxfp4 have packed numbers only (`models/gpt_oss.py`), transformers packs plain ones.
    """
    block = values.get(QUANTIZATION)
    if isinstance(block, Mapping) and block.get("quant_method") == "mxfp4" and _has_nothing_packed(audited):
        return "the block says mxfp4, and the experts are stored plain"
    storage = block.get(STORAGE) if isinstance(block, Mapping) and block.get("load_in_4bit") else None
    return "" if storage in (None, "uint8") else f"it reads four-bit numbers from uint8 only, not {STORAGE} {storage}"


def why_unread(audited: Audit) -> str:
    """Why it is open what a loader does with quantized weights that are not understood or have errors."""
    if audited.unpacked is None:
        return "the quantization was not understood"
    return "what it does with quantized weights that have errors was not recorded"
