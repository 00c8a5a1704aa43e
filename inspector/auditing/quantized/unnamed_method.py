"""Handles a quantization block without a method: transformers refuses it, and the weights show the method, or that none
was used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from inspector.findings.config import ConfigImpossible
from inspector.findings.finding import Finding
from inspector.findings.types.block import QuantizationBlockMissing
from inspector.findings.types.undecided import NothingPacked, NotPacked
from inspector.quantization.loaders import method_of_block
from inspector.quantization.missing_block import BLOCK, main_scheme
from inspector.quantization.unpacked import Unpacked


def with_method(findings: Sequence[Finding], unpacked: Unpacked, values: Mapping[str, Any]) -> list[Finding]:
    """Adds the method shown by the weights to the finding on a block without one, or removes this finding if the whole
    block is lost. A block beside plain weights is to be removed.
    """
    plain = next((one for one in findings if isinstance(one, NothingPacked) and one.place.key == BLOCK), None)
    if plain is not None:
        left = [one for one in findings if one is not plain and not _is_on_block(one)]
        return [*left, NotPacked(**plain.stated_fields())]
    lost = any(isinstance(one, QuantizationBlockMissing) for one in findings)
    found: list[Finding] = []
    for one in findings:
        if not _is_on_block(one):
            found.append(one)
        elif not lost:
            method = method_of_block(values.get(BLOCK) or (), main_scheme(unpacked) or "")
            key = f"{BLOCK}.quant_method"
            named = msgspec.structs.replace(one, keys=(key,), stated=msgspec.UNSET, meant=method)
            removed = one if any(unpacked.schemes.values()) else msgspec.structs.replace(one, meant=None)
            found.append(removed if method is None else named)
    return found


def _is_on_block(finding: Finding) -> bool:
    return isinstance(finding, ConfigImpossible) and finding.place.key == BLOCK
