"""Finds a tied head that loaders quantize although it is not stored."""

from __future__ import annotations

from typing import Final

from inspector.auditing.quantized.plain_modules import BY_PATTERN, LISTS, SIGNS
from inspector.findings.types.unpacked import TiedHeadNotExcluded
from inspector.quantization.unpacked import ModuleProblem, Unpacked

BUILDS_HEADS: Final = frozenset({BY_PATTERN})
"""Methods with a loader that also quantizes a tied head, unless a list excludes it.

Measured with transformers 5.17 and compressed-tensors 0.19: formats with `weight_packed` fail on the missing `weight`,
of the others the scale is missing.
"""


def tied_head_packed(unpacked: Unpacked, head: str) -> list[ModuleProblem]:
    """The case of a tied head that is not stored and that the block does not exclude. head: its family."""
    settings, module = unpacked.settings, head.removesuffix(".weight")
    method = settings.base.method or ""
    if method not in BUILDS_HEADS or not settings.whole or not any(unpacked.schemes.values()) or "#" in head:
        return []
    pieces = settings.for_family(module, ((),))
    if not all(setting.method and setting.sized and setting.skipped is None for setting, _ in pieces):
        return []
    entry = head_entry(module, method)
    finding = TiedHeadNotExcluded(
        head=module,
        source=settings.source,
        key=str(LISTS[method]),
        entries=(*(entry.text for entry in settings.ignored), entry),
    )
    return [ModuleProblem(finding, head, ((),), max(unpacked.schemes, key=lambda one: unpacked.schemes[one]))]


def head_entry(module: str, method: str) -> str:
    """The entry for a head, which may have another path in the model than in the file."""
    return f"{SIGNS[method]}{module.rpartition('.')[2]}$" if "." in module and method in SIGNS else module
