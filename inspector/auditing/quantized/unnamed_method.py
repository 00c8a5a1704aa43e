"""Handles a quantization block without a method: transformers refuses it, and the weights show the method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from inspector.findings.config import ConfigImpossible
from inspector.findings.finding import Finding
from inspector.findings.types.block import QuantizationBlockMissing
from inspector.quantization.loaders import method_of_block
from inspector.quantization.missing_block import BLOCK, main_scheme
from inspector.quantization.unpacked import Unpacked


def with_method(findings: Sequence[Finding], unpacked: Unpacked, values: Mapping[str, Any]) -> list[Finding]:
    """Adds the method shown by the weights to the finding on a block without one, or removes this finding if the whole
    block is lost.
    """
    lost = any(isinstance(one, QuantizationBlockMissing) for one in findings)
    found: list[Finding] = []
    for one in findings:
        if not isinstance(one, ConfigImpossible) or one.place.key != BLOCK:
            found.append(one)
        elif not lost:
            method = method_of_block(values.get(BLOCK) or (), main_scheme(unpacked) or "")
            key = f"{BLOCK}.quant_method"
            named = msgspec.structs.replace(one, keys=(key,), stated=msgspec.UNSET, meant=method)
            found.append(one if method is None else named)
    return found
