"""What shows that a file is Stable Diffusion, whole or one part of it: a few names, looked up in every audit."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

BARE: Final = {"input_blocks.0.0.weight": "unet", "encoder.down.0.block.0.conv1.weight": "vae"}
"""What shows a component that lies in a file of its own, without a prefix."""
_SIGNS: Final = ("model.diffusion_model.input_blocks.0.0.weight", "first_stage_model.encoder.conv_in.weight", *BARE)
_TRANSFORMERS: Final = (
    "model.diffusion_model.double_blocks.0.img_mod.lin.weight",  # FLUX
    "model.diffusion_model.joint_blocks.0.x_block.attn.qkv.weight",  # Stable Diffusion 3
)


def is_single_file(names: Collection[str]) -> bool:
    """Whether the names are those of several components in one file, or of one as such a file has it."""
    if any(sign in names for sign in _SIGNS):
        return True
    if not any(sign in names for sign in _TRANSFORMERS):
        return False
    return any(name.startswith(("vae.", "text_encoders.", "first_stage_model.")) for name in names)
