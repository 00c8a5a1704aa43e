"""Values with which classes of diffusers cannot be built, though the shapes of their weights do not depend on them.

Read in diffusers 0.42 (unet_2d_condition.py, resnet.py, activations.py, pixart_transformer_2d.py); it refused each of
these keys with a value that is not listed, or a list that is too short.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from inspector.algebra.values import shown
from inspector.findings.finding import Finding, Place

ACTIVATIONS: Final = ("gelu", "mish", "relu", "silu", "swish")
VALUES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "UNet2DConditionModel": {
        "act_fn": ACTIVATIONS,
        "time_embedding_type": ("fourier", "positional"),
        "resnet_time_scale_shift": ("ada_group", "default", "scale_shift", "spatial"),
        "addition_embed_type": ("image", "image_hint", "text", "text_image", "text_time"),
    },
    "AutoencoderKL": {"act_fn": ACTIVATIONS},
    "PixArtTransformer2DModel": {"norm_type": ("ada_norm_single",)},
}
"""Class -> key -> what it may be; null is not judged."""
A_BLOCK_EACH: Final[Mapping[str, tuple[str, ...]]] = {
    "UNet2DConditionModel": ("attention_head_dim", "cross_attention_dim"),
}
"""Class -> keys whose lists have an entry for each of `down_block_types` and change no shape that is compared."""


def refused_values(values: Mapping[str, Any], reported: Collection[str | None]) -> Iterator[Finding]:
    """The findings on values of a component of diffusers. reported: keys with another finding."""
    class_name = values.get("_class_name")
    if not isinstance(class_name, str):
        return
    for key, allowed in VALUES.get(class_name, {}).items():
        value = values.get(key)
        if isinstance(value, str) and value.lower() not in allowed and key not in reported:
            yield _impossible(key, f"{shown(value)} is none of {', '.join(allowed)}")
    blocks = values.get("down_block_types")
    for key in A_BLOCK_EACH.get(class_name, ()):
        value = values.get(key)
        if isinstance(blocks, list) and isinstance(value, list) and len(value) != len(blocks) and key not in reported:
            yield _impossible(key, f"it has length {len(value)}, down_block_types {len(blocks)}")


def _impossible(key: str, detail: str) -> Finding:
    from inspector.findings.config import ConfigImpossible

    return ConfigImpossible(place=Place(key=key), expression=key, detail=detail, keys=(key,), kind="type")
