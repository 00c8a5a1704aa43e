"""Published UNets and ControlNets of diffusers by their number of parameters, with the setting that no shape shows.

Source: the configs of the repositories, each built with diffusers 0.42 on torch's meta device; a ControlNet has the
heads of the UNet of which it was made (`ControlNetModel.from_unet`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

UNET: Final = "UNet2DConditionModel"
CONTROLNET: Final = "ControlNetModel"
HEADS: Final = "attention_head_dim"
"""The key of the number of heads, despite its name; a list has one number for each block."""
INSTEAD: Final = "num_attention_heads"
"""The key that diffusers reads first."""


class PublishedUNet(Struct, frozen=True):
    """name: of the repository. heads: the value of `attention_head_dim`."""

    name: str
    heads: int | list[int]


PUBLISHED: Final[Mapping[tuple[str, int], PublishedUNet]] = {
    (UNET, 859_520_964): PublishedUNet("stable-diffusion-v1-5", 8),
    (UNET, 859_535_364): PublishedUNet("stable-diffusion-inpainting", 8),
    (UNET, 865_910_724): PublishedUNet("stable-diffusion-2-1", [5, 10, 20, 20]),
    (UNET, 865_925_124): PublishedUNet("stable-diffusion-2-inpainting", [5, 10, 20, 20]),
    (UNET, 2_567_463_684): PublishedUNet("stable-diffusion-xl-base-1.0", [5, 10, 20]),
    (CONTROLNET, 361_279_120): PublishedUNet("sd-controlnet-canny", 8),
    (CONTROLNET, 364_228_240): PublishedUNet("controlnet-sd21-canny-diffusers", [5, 10, 20, 20]),
    (CONTROLNET, 1_251_014_160): PublishedUNet("controlnet-canny-sdxl-1.0", [5, 10, 20]),
}


def published_unet(name: str, parameters: int) -> PublishedUNet | None:
    """The published network with exactly this number of parameters. name: of the class."""
    return PUBLISHED.get((name, parameters))


def has_other_heads(published: PublishedUNet, values: Mapping[str, Any]) -> bool:
    """True if a config states other heads than the published one; an absent key is 8, as in the class."""
    return values.get(INSTEAD) is None and values.get(HEADS, 8) != published.heads
