"""The encoder or the decoder of an autoencoder, stored without the other half. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count, takewhile
from typing import Final

from inspector.loader.layout import Layout

CLASS: Final = "AutoencoderKL"
ENCODER, DECODER = "encoder", "decoder"
OTHER: Final = {ENCODER: DECODER, DECODER: ENCODER}
_LATENT: Final = {ENCODER: "quant_conv.", DECODER: "post_quant_conv."}
"""Half -> the convolution over the latents beside it."""
_BLOCKS: Final = {ENCODER: "down_blocks", DECODER: "up_blocks"}
_PLAIN: Final = {ENCODER: "DownEncoderBlock2D", DECODER: "UpDecoderBlock2D"}
_ATTENDING: Final = {ENCODER: "AttnDownEncoderBlock2D", DECODER: "AttnUpDecoderBlock2D"}
_CONVOLUTION: Final = 4
"""Dims of the weight of a convolution over images."""


def half_of(tensors: Mapping[str, Layout]) -> str | None:
    """The half that all tensors belong to, by the names of diffusers; None if they belong to both or to others."""
    return next((half for half, latent in _LATENT.items()
                 if tensors and all(name.startswith((f"{half}.", latent)) for name in tensors)), None)  # fmt: skip


def config_of_half(tensors: Mapping[str, Layout]) -> dict[str, object] | None:
    """The config of the autoencoder of which these are one half; None if the shapes do not show it.

    What only the other half shows is as in this one.
    """
    half = half_of(tensors)
    if half is None:
        return None
    first, last = (tensors.get(f"{half}.{name}.weight") for name in ("conv_in", "conv_out"))
    widths = _widths(tensors, half)
    if first is None or last is None or widths is None or {len(first.shape), len(last.shape)} != {_CONVOLUTION}:
        return None
    layers = len(_numbers(tensors, f"{half}.{_BLOCKS[half]}.0.resnets"))
    inputs, outputs = first.shape[1], last.shape[0]
    kinds = [_ATTENDING[half] if f"{half}.{_BLOCKS[half]}.{stage}.attentions.0.to_q.weight" in tensors else _PLAIN[half]
             for stage in range(len(widths))]  # fmt: skip
    of_other = [_PLAIN[OTHER[half]]] * len(widths)
    encodes = half == ENCODER
    if encodes and outputs % 2:
        return None
    return {
        "_class_name": CLASS,
        "in_channels": inputs if encodes else outputs,
        "out_channels": inputs if encodes else outputs,
        "latent_channels": outputs // 2 if encodes else inputs,
        "block_out_channels": widths if encodes else widths[::-1],
        "layers_per_block": layers if encodes else layers - 1,
        "down_block_types": kinds if encodes else of_other,
        "up_block_types": of_other if encodes else kinds,
        "mid_block_add_attention": f"{half}.mid_block.attentions.0.to_q.weight" in tensors,
        "use_quant_conv": f"{_LATENT[ENCODER]}weight" in tensors,
        "use_post_quant_conv": f"{_LATENT[DECODER]}weight" in tensors,
    }


def _widths(tensors: Mapping[str, Layout], half: str) -> list[int] | None:
    """The channels of each stage; None if a stage does not show them."""
    stages = f"{half}.{_BLOCKS[half]}"
    found = [tensors.get(f"{stages}.{stage}.resnets.0.conv1.weight") for stage in _numbers(tensors, stages)]
    widths = [one.shape[0] for one in found if one is not None and len(one.shape) == _CONVOLUTION]
    return widths if widths and len(widths) == len(found) else None


def _numbers(tensors: Mapping[str, Layout], before: str) -> list[int]:
    """The numbers of modules, from zero up to the first that has no tensor."""
    stored = {name.removeprefix(f"{before}.").partition(".")[0] for name in tensors if name.startswith(f"{before}.")}
    return list(takewhile(lambda number: str(number) in stored, count()))
