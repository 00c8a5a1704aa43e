"""What vLLM and mlx-lm refuse although transformers reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from inspector.auditing.quantized_loads import refused_by_vllm
from inspector.auditing.result import Audit
from inspector.loading.outcome import COMPLETE, REFUSES, Load


def refused(audited: Audit, values: Mapping[str, Any], loads: tuple[Load, ...]) -> tuple[Load, ...]:
    """The loads of both, with what they refuse."""
    if because := refused_by_vllm(audited, values):
        loads = tuple(replace(one, outcome=REFUSES, because=because) if one.loader == "vllm" else one for one in loads)
    if not _has_prefix(audited):
        return loads
    because = "it does not read past a prefix before the names"
    return tuple(replace(one, outcome=REFUSES, because=because) if one.outcome == COMPLETE else one for one in loads)


def _has_prefix(audited: Audit) -> bool:
    """Whether a wrapper's prefix is before the names, which transformers 5 alone takes away."""
    if not audited.findings:
        return False
    from inspector.findings.names.prefixes import PrefixOnNames

    return any(isinstance(one, PrefixOnNames) for one in audited.findings)
