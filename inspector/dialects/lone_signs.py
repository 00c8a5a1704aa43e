"""Names by which networks are recognised that are stored without a config and have no other component beside them."""

from __future__ import annotations

from typing import Final

T2I_ADAPTER: Final = "t2i_adapter"
T2I_SIGNS: Final = ("body.0.block1.weight", "body.0.body.0.block1.weight", "body.0.resnets.0.block1.weight",
                    "adapter.body.0.resnets.0.block1.weight")  # fmt: skip
"""A name that only T2I-Adapters have: of TencentARC's, of its light ones, of diffusers' without and with its prefix."""
MOTION_SIGN: Final = "down_blocks.0.motion_modules.0.temporal_transformer.norm.weight"
"""A name that motion modules of AnimateDiff have under its own names."""
VAE_3D_SIGN: Final = "decoder.mid.block_1.conv1.conv.weight"
"""A name that ComfyUI gives to a module of HunyuanVideo's autoencoder."""
