"""Experts that are stored one by one, which vLLM reads and transformers looks for in one tensor for all of a layer."""

from __future__ import annotations

from typing import Final

from inspector.auditing.result import Audit
from inspector.loading.single_experts import SINGLE, VLLM

APART: Final = "it looks for the experts of a layer in one tensor, and they are stored one by one"


def has_single_experts(audited: Audit) -> bool:
    """True for experts one by one of a class for which only vLLM reads them so."""
    return audited.class_name in VLLM and any(SINGLE in line.family for line in audited.lines)


def is_whole_with_single_experts(audited: Audit) -> bool:
    """True for such experts if no tensor is missing, unexpected or of another shape."""
    case = audited.case
    return (
        case is not None
        and not case.placement.differences
        and has_single_experts(audited)
        and all(one.severity != "error" for one in audited.findings)
    )
