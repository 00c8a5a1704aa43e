"""The names that vLLM's classes of multimodal models give to stored tensors.

Source: `hf_to_vllm_mapper` and the modules of these classes in vLLM 0.33, and `AutoWeightsLoader`, for which a name
that begins with no module of the class is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

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


def nameless(class_name: str | None, names: Iterable[str]) -> str | None:
    """The first stored name that begins with no module of a class; "" if there is none, None for other classes."""
    prefixes = PREFIXES.get(class_name or "")
    if prefixes is None:
        return None
    for name in names:
        given = given_name(name, prefixes)
        dropped = name.startswith(DRAFT) or any(part in name for part in DROPPED)
        if not dropped and (given.startswith(BODY) or not given.startswith(MODULES)):
            return name
    return ""


def given_name(name: str, prefixes: Mapping[str, str]) -> str:
    """The name that a class gives to a stored one."""
    for prefix, new in prefixes.items():
        if name.startswith(prefix):
            name = name.replace(prefix, new, 1)
    return name
