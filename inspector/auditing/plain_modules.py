"""Linear layers that are stored plain among quantized ones, although the quantization block excludes none of them.

Measured: transformers 5.23 with bitsandbytes 0.50 builds a quantized layer for each and fails in its first forward;
with compressed-tensors 0.20 the scale of each is missing and left uninitialised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.algebra.boxes import Box
from inspector.findings.types.unpacked import LayersNotPacked
from inspector.quantization.missing_block import MOST_LISTED
from inspector.quantization.module import FLOATS
from inspector.quantization.unpacked import ModuleProblem, Unpacked
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import names_in

EVERY_TOOL: Final = frozenset({
    "attention.query", "attention.key", "attention.value", "attention.output", "attention.qkv", "mlp.gate", "mlp.up",
    "mlp.down", "mlp.gate_up",
})  # fmt: skip
"""Roles of linear layers that every tool quantizes where no list excludes them."""
LISTS: Final = {
    "bitsandbytes": "llm_int8_skip_modules", "compressed-tensors": "ignore", "awq": "modules_to_not_convert",
    "fp8": "modules_to_not_convert", "gptq": None,
}  # fmt: skip
"""Method -> the key of its list of unquantized modules, None where its loader has none."""

BY_PATTERN: Final = "compressed-tensors"
"""The method whose list has whole names, and patterns; the entries of the others may be the end of a name."""


def layers_not_packed(unpacked: Unpacked, lines: Sequence[Line]) -> list[ModuleProblem]:
    """One case for each family of which no module is quantized, and other linear layers of the same stack are."""
    settings = unpacked.settings
    method = settings.base.method or ""
    if method not in LISTS or not settings.whole or not any(unpacked.schemes.values()):
        return []
    found = []
    for line, scheme in among_packed(lines):
        pieces = settings.for_family(line.family.removesuffix(".weight"), line.boxes)
        boxes = tuple(
            box for setting, inside in pieces if setting.method and setting.sized and setting.skipped is None
            for box in inside
        )  # fmt: skip
        if boxes:
            found.append((line, scheme, boxes))
    entries = entries_for([(line, boxes) for line, _, boxes in found], lines, "re:.*" if method == BY_PATTERN else "")
    key = LISTS[method]
    stated = tuple(entry.text for entry in settings.ignored)
    kept = stated or (("lm_head",) if key is not None and method != BY_PATTERN else ())
    return [
        ModuleProblem(
            LayersNotPacked(
                dtype=line.layout.dtype,
                method=method,
                source=settings.source,
                key=key,
                entries=(*kept, *(entry for entry in entries if entry not in kept)),
            ),
            line.family,
            boxes,
            scheme,
        )
        for line, scheme, boxes in found
    ]


def among_packed(lines: Sequence[Line]) -> Iterator[tuple[Line, str]]:
    """Plain weights that every tool quantizes, of families without a quantized module, with the scheme of others."""
    packed = {
        _stack(line.family): line.packed.scheme
        for line in lines
        if line.packed is not None and line.packed.known and line.role in EVERY_TOOL
    }
    families = {line.family for line in lines if line.packed is not None}
    for line in lines:
        stack = _stack(line.family)
        plain = line.packed is None and line.family not in families and line.layout.dtype in FLOATS
        if plain and line.role in EVERY_TOOL and _is_linear(line) and stack in packed:
            yield line, packed[stack]


def _is_linear(line: Line) -> bool:
    """Whether a weight is one of a linear layer; experts, which have an axis of their own, need not be layers."""
    linear = line.block is not None and line.block.slot.kind.name == "linear"
    return linear and line.family.endswith(".weight") and line.family.count("#") <= 1


def _stack(family: str) -> str:
    """The part of a family before its layers: equal for the linear layers of one stack."""
    return family.partition(".#")[0] if ".#" in family else family


def entries_for(found: Sequence[tuple[Line, tuple[Box, ...]]], lines: Sequence[Line], sign: str = "") -> list[str]:
    """What a list of unquantized modules needs: the last name where no quantized module has it, else the whole ones."""
    packed = {line.family.removesuffix(".weight") for line in lines if line.packed is not None}
    entries: list[str] = []
    for line, boxes in found:
        last = _last(line.family)
        if boxes == line.boxes and not any(name.endswith(last) for name in packed):
            entries.append(f"{sign}{last}")
        else:
            entries += [name.removesuffix(".weight") for name in names_in(line.family, boxes, MOST_LISTED)]
    return list(dict.fromkeys(entries))


def _last(family: str) -> str:
    return family.removesuffix(".weight").rpartition(".")[2]
