"""Widths that the components of a pipeline share: where they differ diffusers loads them, and the first call fails.

Read in the pipelines of diffusers 0.42, which pass the output of the encoders on as it is. Those of Stable Diffusion 1,
XL and 3 and of FLUX were called with an encoder of another width.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.auditing.result import Audit
from inspector.findings.finding import Place
from inspector.findings.names.pipelines import ComponentWidthDiffers

Term = tuple[str, str]
"""A component and a key of its config."""
RULES: Final[tuple[tuple[str, tuple[Term, ...], Term], ...]] = (
    (
        r"StableDiffusionXL.*",
        (("text_encoder_2", "projection_dim"),),
        ("unet", "projection_class_embeddings_input_dim"),
    ),
    (r"StableDiffusion(?!3|XL).*", (("text_encoder", "hidden_size"),), ("unet", "cross_attention_dim")),
    (
        r"StableDiffusionXL.*",
        (("text_encoder", "hidden_size"), ("text_encoder_2", "hidden_size")),
        ("unet", "cross_attention_dim"),
    ),
    (r"StableDiffusion3.*", (("text_encoder_3", "d_model"),), ("transformer", "joint_attention_dim")),
    (
        r"StableDiffusion3.*",
        (("text_encoder", "projection_dim"), ("text_encoder_2", "projection_dim")),
        ("transformer", "pooled_projection_dim"),
    ),
    (r"Flux(?!2).*", (("text_encoder_2", "d_model"),), ("transformer", "joint_attention_dim")),
    (r"Flux(?!2).*", (("text_encoder", "hidden_size"),), ("transformer", "pooled_projection_dim")),
    (r"PixArt(Alpha|Sigma).*", (("text_encoder", "d_model"),), ("transformer", "caption_channels")),
    (r"Wan.*", (("text_encoder", "d_model"),), ("transformer", "text_dim")),
)
"""Pattern of a pipeline's class, terms whose sum a key of another component equals, and this key."""
TIMES: Final = {"projection_class_embeddings_input_dim": (5, 6)}
"""Key -> how many embedded numbers, of `addition_time_embed_dim` each, stand beside the text: sizes and crops, or a
score of beauty."""
PROJECTS: Final = ("encoder_hid_dim", "encoder_hid_dim_type")
"""Keys of a UNet that projects what the encoder gives."""


def of_other_widths(class_name: object, parts: Mapping[str, Audit]) -> Iterator[ComponentWidthDiffers]:
    """Components that are whole by themselves and do not fit each other."""
    if not isinstance(class_name, str):
        return
    for pattern, terms, (taker, key) in RULES:
        named = [(name, its) for name, its in terms if name in parts]
        if not re.fullmatch(pattern, class_name) or not named:
            continue
        given = [_stated(parts[name], its) for name, its in named]
        taken = _stated(parts.get(taker), key)
        widths = [width for width in given if width is not None]
        if taken is None or len(widths) != len(given):
            continue
        times = _stated(parts[taker], "addition_time_embed_dim") if key in TIMES else 0
        if times is not None and not any(sum(widths) + count * times == taken for count in TIMES.get(key, (0,))):
            yield ComponentWidthDiffers(
                place=Place(file=f"{taker}/config.json", key=key),
                component=taker,
                key=key,
                width=taken,
                encoders=tuple(f"{name}.{its}" for name, its in named),
                widths=tuple(widths),
            )


def _stated(part: Audit | None, key: str) -> int | None:
    """The width that the config of a component states, if its weights have it."""
    config = None if part is None else part.checkpoint.config
    if part is None or config is None or any(one.severity == "error" for one in part.findings):
        return None
    values: Mapping[str, Any] = config.values
    if any(values.get(one) is not None for one in PROJECTS):
        return None
    width = values.get(key)
    return width if type(width) is int else None
