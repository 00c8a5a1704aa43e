"""Which published image model an adapter was trained on, as the widths of its matrices show.

The sizes are those of the published models: the width of the text that a UNet attends to, or of a transformer's blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from inspector.adapters.changed_modules import ChangedModule

DOWN: Final = "down"
"""The first matrix of a pair: [rank, inputs]."""
FOR_IMAGES: Final = "to_k_ip"
"""The matrix of an IP-Adapter: [outputs, width of the text]."""
TO_TEXT: Final = "mid_block_attentions_0_transformer_blocks_0_attn2_to_k"
"""The module of a UNet that the matrices of an IP-Adapter stand beside."""


class ShownByWidth(Struct, frozen=True):
    """The modules that show a model by the number of their inputs, and the models with each number."""

    modules: re.Pattern[str]
    models: Mapping[int, str]


UNETS: Final = {
    768: "Stable Diffusion 1",
    1024: "Stable Diffusion 2",
    1280: "the refiner of SDXL",
    2048: "SDXL or Kolors",
}
KNOWN: Final = (
    ShownByWidth(re.compile(r"(?:(?:down|up|input|output)_blocks|mid_block|middle_block)_.*attn2_to_[kv]"), UNETS),
    ShownByWidth(
        re.compile(r"blocks_\d+_(?:self_attn_[qkvo]|attn1_to_[qkv])"),
        {1536: "Wan of 1.3B", 3072: "Wan 2.2 of 5B", 5120: "Wan of 14B"},
    ),
    ShownByWidth(re.compile(r"layers_\d+_att(?:ention|n)_(?:to_[qkv]|qkv)"), {2304: "Lumina 2", 3840: "Z-Image"}),
    ShownByWidth(
        re.compile(r"joint_blocks_\d+_(?:x|context)_block_attn_qkv"),
        {1536: "Stable Diffusion 3 or 3.5 medium", 2432: "Stable Diffusion 3.5 large"},
    ),
    ShownByWidth(
        re.compile(r"double_blocks_\d+_(?:img|txt)_attn_qkv|single_transformer_blocks_\d+_attn_to_qkv_mlp_proj"),
        {4096: "FLUX.2 klein of 9B", 6144: "FLUX.2 dev"},
    ),
)  # fmt: skip


def trained_on(modules: Sequence[ChangedModule], base: Iterable[Mapping[str, Sequence[int]]]) -> str:
    """The model that an adapter was trained on; "" if its widths do not show it, or show that of the base as well.

    base: plain name of a weight -> its shape, for each component.
    """
    own = _model(_inputs(modules))
    others = ((name, shape[1]) for shapes in base for name, shape in shapes.items() if len(shape) > 1)
    return own if own and own != _model(others) else ""


def _inputs(modules: Sequence[ChangedModule]) -> Iterator[tuple[str, int]]:
    """(plain name of the first block's module, inputs) of each pair and each matrix for images."""
    for module in modules:
        if FOR_IMAGES in module.parts:
            name, part = TO_TEXT, module.parts[FOR_IMAGES]
        elif module.method == "lora" and DOWN in module.parts:
            name, part = module.name.replace(".", "_").replace("#", "0"), module.parts[DOWN]
        else:
            continue
        yield from ((name, stored.layout.shape[1]) for stored in part[1].stored if len(stored.layout.shape) > 1)


def _model(inputs: Iterable[tuple[str, int]]) -> str:
    """The one model that all of these modules show; "" without one, or where they show several."""
    found = {
        one.models.get(width, "")
        for name, width in inputs
        for one in KNOWN
        if one.modules.fullmatch(name.removeprefix("diffusion_model_"))
    }
    return found.pop() if len(found) == 1 else ""
