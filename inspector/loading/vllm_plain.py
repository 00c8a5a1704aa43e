"""Linear layers of multimodal models that vLLM builds without quantization, whatever the config says.

Source: the classes of vLLM 0.33. `SiglipMLP` in `models/siglip.py` takes the quantization only if both of its sizes are
multiples of 64, or for bitsandbytes and torchao; so do the towers of Gemma 4 and the projections behind them, also for
compressed-tensors (`_get_tower_quant_config` in `models/gemma4_mm.py`). Some projectors are never quantized.
`AutoWeightsLoader` raises for the scales, and for packed values, that such a layer does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

STEP: Final = 64
ANY_SIZE: Final = frozenset({"bitsandbytes", "torchao"})
"""Methods for which the sizes do not matter."""
SIGLIP: Final = "siglip_vision_model"
OF_SIGLIP: Final = (".mlp.fc1", ".mlp.fc2")
"""The layers of its blocks that depend on the sizes."""
TOWERS: Final = frozenset({
    "Gemma3ForConditionalGeneration", "PaliGemmaForConditionalGeneration", "Cohere2VisionForConditionalGeneration",
    "LlavaForConditionalGeneration", "LlavaNextForConditionalGeneration", "LlavaNextVideoForConditionalGeneration",
    "LlavaOnevisionForConditionalGeneration",
})  # fmt: skip
"""Classes that build the tower of `models/siglip.py`, under `vision_tower`, for this type of `vision_config`."""
TOWER: Final = "vision_tower."
_OF_LLAVA: Final = ("multi_modal_projector.linear_1", "multi_modal_projector.linear_2")
PROJECTORS: Final[Mapping[str, tuple[str, ...]]] = {
    "PaliGemmaForConditionalGeneration": ("multi_modal_projector.linear",),
    "Mistral3ForConditionalGeneration": ("multi_modal_projector.patch_merger.merging_layer",),
    "LlavaOnevisionForConditionalGeneration": _OF_LLAVA,
    "LlavaNextVideoForConditionalGeneration": _OF_LLAVA,
    "InternVLChatModel": ("mlp1.1", "mlp1.3"),
    "Gemma4UnifiedForConditionalGeneration": ("embed_vision.embedding_projection", "embed_audio.embedding_projection"),
}
"""Class -> its layers that are never quantized."""
OF_GEMMA4: Final = frozenset({"Gemma4ForConditionalGeneration", "DiffusionGemmaForBlockDiffusion"})
ALSO_ANY_SIZE: Final = "compressed-tensors"
"""The method for which the sizes do not matter in these classes."""
SIDES: Final[Mapping[str, tuple[str, ...]]] = {
    "vision_config": (TOWER, "embed_vision."), "audio_config": ("audio_tower.", "embed_audio."),
}  # fmt: skip
"""Config of a tower of theirs -> beginnings of its layers, after the name of the base model."""


def sizes_in_the_way(
    class_name: str | None, values: Mapping[str, Any], method: str | None, module: str
) -> tuple[int, ...]:
    """The sizes of a tower for which vLLM builds a layer of it plain; () if it quantizes the layer.

    method: that of the quantization. module: the stored name, or a family of them.
    """
    if method is None or method in ANY_SIZE:
        return ()
    if class_name in OF_GEMMA4 and method != ALSO_ANY_SIZE:
        key = next((key for key, names in SIDES.items() if any(f".{name}" in f".{module}" for name in names)), "")
        return _odd(values.get(key))
    vision = values.get("vision_config")
    siglip = class_name in TOWERS and isinstance(vision, Mapping) and vision.get("model_type") == SIGLIP
    return _odd(vision) if siglip and TOWER in module and module.endswith(OF_SIGLIP) else ()


def _odd(config: Any) -> tuple[int, ...]:
    """The sizes of a tower that are no multiples."""
    sizes = (config.get("hidden_size"), config.get("intermediate_size")) if isinstance(config, Mapping) else ()
    return tuple(size for size in sizes if isinstance(size, int) and size % STEP)


def is_plain(class_name: str | None, values: Mapping[str, Any], method: str | None, module: str) -> bool:
    """True if vLLM builds a linear layer without quantization.

    method: that of the quantization. module: the stored name, or a family of them.
    """
    if method is None or method in ANY_SIZE:
        return False
    if any(module == end or module.endswith(f".{end}") for end in PROJECTORS.get(class_name or "", ())):
        return True
    return bool(sizes_in_the_way(class_name, values, method, module))
