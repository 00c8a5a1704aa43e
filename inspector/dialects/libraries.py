"""Libraries for which the names of weights are signs, and which have models and configs of their own.

Sources: `timm/models/vision_transformer.py`, `convnext.py`, `swin_transformer.py`, `resnet.py`; torchvision's
`models/resnet.py`, with the same names as timm's; OpenAI's `clip/model.py` and `open_clip/model.py`; gpt-fast's
`model.py`, whose weights are packed by `quantize.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

LIBRARIES: Final = (
    ("timm", ("patch_embed.proj.weight", "blocks.#.attn.qkv.weight", "blocks.#.mlp.fc1.weight")),
    ("timm", ("patch_embed.proj.weight", "layers.#.blocks.#.attn.relative_position_bias_table")),
    ("timm", ("stem.#.weight", "stages.#.blocks.#.conv_dw.weight")),
    ("timm or torchvision", ("conv1.weight", "bn1.running_mean", "layer1.#.conv1.weight")),
    ("gpt-fast", ("layers.#.attention.wqkv.weight", "layers.#.feed_forward.w1.weight", "tok_embeddings.weight")),
    ("OpenCLIP", ("visual.conv1.weight", "transformer.resblocks.#.attn.in_proj_weight")),
    ("OpenCLIP", ("visual.trunk.patch_embed.proj.weight", "text.transformer.resblocks.#.attn.in_proj_weight")),
)
"""(library, keys that together are its own)."""


def library_of(keys: Collection[str]) -> str | None:
    """The library that writes these names; None for none that is known."""
    return next((library for library, signs in LIBRARIES if all(sign in keys for sign in signs)), None)
