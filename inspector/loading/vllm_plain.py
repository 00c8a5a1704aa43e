"""Linear layers of multimodal models that vLLM builds without quantization, whatever the config says.

Source: the classes of vLLM 0.33. `SiglipMLP` in `models/siglip.py` takes the quantization only if both of its sizes are
multiples of 64, or for bitsandbytes and torchao; some projectors are plain `nn.Linear`. `AutoWeightsLoader` raises for
the scales, and for packed values, that such a layer does not have.
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
}
"""Class -> its layers that are `nn.Linear`."""


def sizes_in_the_way(class_name: str | None, values: Mapping[str, Any]) -> tuple[int, ...]:
    """The sizes for which vLLM builds the feed-forward layers of a SigLIP tower plain; () if it quantizes them."""
    vision = values.get("vision_config")
    if class_name not in TOWERS or not isinstance(vision, Mapping) or vision.get("model_type") != SIGLIP:
        return ()
    sizes = (vision.get("hidden_size"), vision.get("intermediate_size"))
    return tuple(size for size in sizes if isinstance(size, int) and size % STEP)


def is_plain(class_name: str | None, values: Mapping[str, Any], method: str | None, module: str) -> bool:
    """True if vLLM builds a linear layer without quantization.

    method: that of the quantization. module: the stored name, or a family of them.
    """
    if method is None or method in ANY_SIZE:
        return False
    if any(module == end or module.endswith(f".{end}") for end in PROJECTORS.get(class_name or "", ())):
        return True
    in_tower = TOWER in module and module.endswith(OF_SIGLIP)
    return in_tower and bool(sizes_in_the_way(class_name, values))
