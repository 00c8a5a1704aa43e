"""Compares the list of unquantized modules of compressed-tensors with the names that vLLM gives to these modules.

vLLM renames the entries of the list as it renames tensors (`hf_to_vllm_mapper` of its classes, `apply_vllm_mapper` in
`compressed_tensors.py` of 0.33), and leaves patterns as they are. It compares both with its own names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.algebra.boxes import minus
from inspector.auditing.loads.quantized import OTHER_NAMES
from inspector.auditing.quantized.plain_modules import BY_PATTERN, PATTERN, among_packed, covered
from inspector.auditing.quantized.unfound_entries import found_by_newest_only
from inspector.auditing.result import Audit

_VISUAL: Final[Mapping[str, str]] = {
    "model.language_model.": "language_model.model.", "model.visual.": "visual.", "lm_head.": "language_model.lm_head.",
    "model.": "language_model.model.",
}  # fmt: skip
_TOWER: Final[Mapping[str, str]] = {
    "model.language_model.": "language_model.model.", "model.vision_tower.": "vision_tower.",
    "model.multi_modal_projector.": "multi_modal_projector.", "lm_head.": "language_model.lm_head.",
}  # fmt: skip
PREFIXES: Final[Mapping[str, Mapping[str, str]]] = {
    **dict.fromkeys(("Qwen2VLForConditionalGeneration", "Qwen2_5_VLForConditionalGeneration"), _VISUAL),
    **dict.fromkeys(("LlavaForConditionalGeneration", "LlavaNextForConditionalGeneration",
                     "LlavaOnevisionForConditionalGeneration", "Gemma3ForConditionalGeneration",
                     "PaliGemmaForConditionalGeneration"), _TOWER),
}  # fmt: skip
"""Class -> the beginnings that vLLM replaces, one after the other, and what it puts there."""


def not_listed_for_vllm(audited: Audit) -> str:
    """Why it is open whether vLLM builds plain modules quantized; "" if it finds each of them in the list."""
    if audited.unpacked is None or audited.unpacked.settings.base.method != BY_PATTERN:
        return ""
    prefixes = PREFIXES.get(audited.class_name or "")
    if prefixes is None:
        return OTHER_NAMES if found_by_newest_only(audited) else ""
    stated = [entry.text for entry in audited.unpacked.settings.ignored]
    entries = [entry if entry.startswith(PATTERN) else _named(entry, prefixes) for entry in stated]
    for line, _ in among_packed(audited.lines, everywhere=True):
        module = _named(line.family.removesuffix(".weight"), prefixes)
        if minus(line.boxes, covered(entries, module, line.boxes)):
            return f"it names {module} otherwise than the list of unquantized modules, and may build it quantized"
    return ""


def _named(name: str, prefixes: Mapping[str, str]) -> str:
    for prefix, new in prefixes.items():
        if name.startswith(prefix):
            name = name.replace(prefix, new, 1)
    return name
