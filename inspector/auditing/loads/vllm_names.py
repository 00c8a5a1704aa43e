"""The names that vLLM's classes of multimodal models give to stored tensors.

Source: `hf_to_vllm_mapper` and the modules of these classes in vLLM 0.33, and `AutoWeightsLoader`, for which a name
that begins with no module of the class is an error. vLLM renames the entries of compressed-tensors' list of unquantized
modules in the same way (`apply_vllm_mapper` in `compressed_tensors.py`), leaves patterns as they are, and compares both
with its own names.
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
_VISUAL_ALONE: Final = {key: value for key, value in _VISUAL.items() if key != "model."}
_TEXT_OUTSIDE: Final = {**_TOWER, "model.": "language_model.model."}
_NEWLINE: Final = {"model.image_newline": "image_newline", **_TOWER}
PREFIXES: Final[Mapping[str, Mapping[str, str]]] = {
    **dict.fromkeys(("Qwen2VLForConditionalGeneration", "Qwen2_5_VLForConditionalGeneration"), _VISUAL),
    **dict.fromkeys(("Qwen3VLForConditionalGeneration", "Qwen3VLMoeForConditionalGeneration",
                     "Qwen3_5ForConditionalGeneration", "Qwen3_5MoeForConditionalGeneration",
                     "Glm4vForConditionalGeneration", "Glm4vMoeForConditionalGeneration"), _VISUAL_ALONE),
    **dict.fromkeys(("LlavaForConditionalGeneration", "Gemma3ForConditionalGeneration",
                     "Lfm2VlForConditionalGeneration", "PaliGemmaForConditionalGeneration"), _TOWER),
    "Mistral3ForConditionalGeneration": _TEXT_OUTSIDE,
    **dict.fromkeys(("LlavaNextForConditionalGeneration", "LlavaOnevisionForConditionalGeneration"), _NEWLINE),
}  # fmt: skip
"""Class -> the beginnings that vLLM replaces, one after the other, and what it puts there."""
MODULES: Final = ("visual.", "vision_tower.", "multi_modal_projector.", "image_newline", "language_model.")
"""Beginnings of the names in these classes."""
BODY: Final = ("language_model.layers.", "language_model.embed_tokens.", "language_model.norm.")
"""Beginnings that none of them has: the layers are in `language_model.model`."""
DROPPED: Final = ("rotary_pos_emb.inv_freq", "rotary_emb.inv_freq", "rotary_emb.cos_cached", "rotary_emb.sin_cached")
"""Parts of names that every class drops."""
DRAFT: Final = "mtp."
"""Beginning of the names of a draft head, which Qwen3.5 drops."""


def nameless(audited: Audit) -> str | None:
    """The first stored name that begins with no module of vLLM's class; "" if there is none, None if this is open.

    A folder with modules.json is loaded as a base model.
    """
    prefixes = PREFIXES.get(audited.class_name or "")
    if prefixes is None or "modules.json" in audited.checkpoint.siblings:
        return None
    names = (name for name in audited.checkpoint.tensors if not any(part in name for part in DROPPED))
    for name in names:
        given = _named(name, prefixes)
        if not name.startswith(DRAFT) and (given.startswith(BODY) or not given.startswith(MODULES)):
            return name
    return ""


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
