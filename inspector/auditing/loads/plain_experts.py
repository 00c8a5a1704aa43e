"""Predicts which mixtures of experts vLLM refuses because their experts are stored plain among quantized layers.

vLLM builds the experts of a layer as one module, quantized by the block of the linear layers unless an entry excludes
them, and such a module has no parameter for a plain weight ("KeyError: 'layers.0.mlp.experts.w2_weight'"). Sources:
`get_moe_quant_method` in vLLM's `layers/quantization/auto_gptq.py`, `get_quant_method` in `awq_marlin.py`, and
`get_moe_method` in `compressed_tensors/compressed_tensors_moe.py`, which looks for the names of single experts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.algebra.boxes import Box
from inspector.algebra.span import Span
from inspector.architectures.value_rules import QUANTIZATION
from inspector.auditing.result import Audit
from inspector.quantization.module import FLOATS
from inspector.reconciler.ledger import Line

ENTRIES: Final[Mapping[str, tuple[str, str, dict[str, Any] | None]]] = {
    "awq": ("modules_to_not_convert", "{parent}.experts", None),
    "compressed-tensors": ("ignore", "re:.*[.]experts[.].*", None),
    "gptq": ("dynamic", "-:.*[.]experts", {}),
}
"""Method -> (the key of its list of plain modules, the entry for all experts, its value if the list is an object).
parent: the module with the experts.
"""
APART: Final = ".experts.#."
STACKED: Final = (".experts.gate_up_proj", ".experts.down_proj")
FIRST: Final = Span.of([0])
REASON: Final = "it builds the experts quantized like the linear layers, and they are stored plain"


def setting_for_plain_experts(audited: Audit, values: Mapping[str, Any]) -> tuple[str, Any] | None:
    """The key of the block, and the value with which vLLM leaves the experts plain as they are stored; None where it
    does, or where an expert is quantized.
    """
    block = values.get(QUANTIZATION)
    experts = _unlisted(audited)
    if audited.unpacked is None or not isinstance(block, Mapping) or not experts:
        return None
    key, entry, value = ENTRIES[audited.unpacked.settings.base.method or ""]
    entry = entry.format(parent=experts[0].family.partition(".experts.")[0].rpartition(".")[2])
    stated = block.get(key)
    if value is not None:
        return key, {**(stated if isinstance(stated, Mapping) else {}), entry: value}
    return key, [*(stated if isinstance(stated, list) else ["lm_head"]), entry]


def has_plain_experts_apart(audited: Audit) -> bool:
    """True if single experts are stored plain among quantized layers, and no entry excludes them."""
    return any(APART in line.family for line in _unlisted(audited))


def _unlisted(audited: Audit) -> list[Line]:
    """The families of experts, if all are plain among quantized layers and an entry is missing for some."""
    if audited.unpacked is None or not any(audited.unpacked.schemes.values()):
        return []
    settings = audited.unpacked.settings
    if settings.base.method not in ENTRIES or not settings.whole:
        return []
    experts = [line for line in audited.lines if APART in line.family or line.family.endswith(STACKED)]
    if any(line.packed is not None or line.layout.dtype not in FLOATS for line in experts):
        return []
    modules = (one for line in experts for one in _modules(line))
    pieces = (piece for key, boxes in modules for piece in settings.for_family(key, boxes))
    listed = all(not setting.method or not setting.sized or setting.skipped is not None for setting, _ in pieces)
    return [] if listed else experts


def _modules(line: Line) -> Iterator[tuple[str, tuple[Box, ...]]]:
    """The modules of single experts that a family holds, with their indices: of stacked ones the first expert."""
    if APART in line.family and line.family.endswith(".weight"):
        yield line.family.removesuffix(".weight"), line.boxes
    elif line.family.endswith(STACKED):
        stem, _, name = line.family.rpartition(".")
        yield f"{stem}.#.{name.replace('gate_up', 'gate')}", tuple((*box, FIRST) for box in line.boxes)
