"""The config of a UNet or an autoencoder that has none, from the names and shapes of its tensors. Pure.

A file of Stable Diffusion states nothing of the model. The names are diffusers' (`inspector.dialects.ldm`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from inspector.loader.layout import Layout

Tensors = Mapping[str, Layout]


def config_of(tensors: Tensors) -> dict[str, object] | None:
    """The config that the tensors of a component show; None where they show none."""
    if "conv_in.weight" in tensors and "mid_block.resnets.0.conv1.weight" in tensors:
        return _unet_config(tensors)
    if "encoder.conv_in.weight" in tensors and "decoder.conv_out.weight" in tensors:
        return _vae_config(tensors)
    return None


def _stage_numbers(tensors: Iterable[str], pattern: str) -> list[tuple[int, ...]]:
    """The numbers in all names that fit a pattern."""
    compiled = re.compile(pattern)
    return sorted({tuple(map(int, found.groups())) for name in tensors if (found := compiled.match(name))})


def _usual(values: Iterable[int]) -> int | None:
    """The commonest value: one misshapen tensor does not decide."""
    found = Counter(values).most_common(1)
    return found[0][0] if found else None


def _width(tensors: Tensors, pattern: str, axis: int) -> int | None:
    """The commonest length of an axis among the tensors that fit a pattern."""
    compiled = re.compile(pattern)
    return _usual(
        one.shape[axis] for name, one in tensors.items() if compiled.fullmatch(name) and len(one.shape) > axis
    )


def _widths(tensors: Tensors, side: str) -> list[int | None]:
    """The width of each stage: what most of its residual blocks give."""
    stages = {one for one, *_ in _stage_numbers(tensors, rf"{side}\.(\d+)\.resnets\.(\d+)\.")}
    return [
        _width(tensors, rf"{side}\.{stage}\.resnets\.\d+\.(?:conv[12]|norm2)\.(?:weight|bias)", 0)
        for stage in sorted(stages)
    ]


def _layers(tensors: Tensors, side: str) -> int | None:
    """Residual blocks a stage."""
    found = _stage_numbers(tensors, rf"{side}\.(\d+)\.resnets\.(\d+)\.")
    stages = {stage for stage, _ in found}
    return _usual(sum(one == stage for one, _ in found) for stage in stages)


def _unet_config(tensors: Tensors) -> dict[str, object] | None:
    """A UNet2DConditionModel's config of its shapes, None where they do not show one."""
    widths, layers = _widths(tensors, r"down_blocks"), _layers(tensors, r"down_blocks")
    first = tensors["conv_in.weight"].shape
    if not widths or None in widths or layers is None or len(first) != 4:
        return None
    depths: list[int] = []
    kinds: list[bool] = []
    for stage in range(len(widths)):
        inner = _stage_numbers(tensors, rf"down_blocks\.{stage}\.attentions\.(\d+)\.transformer_blocks\.(\d+)\.")
        kinds.append(bool(inner))
        depths.append(1 + max((block for _, block in inner), default=0))
    middle = _stage_numbers(tensors, r"mid_block\.attentions\.0\.transformer_blocks\.(\d+)\.")
    if middle and not kinds[-1]:
        depths[-1] = 1 + max(block for (block,) in middle)
    projections = [len(one.shape) for name, one in tensors.items() if name.endswith(".proj_in.weight")]
    out = tensors.get("conv_out.weight")
    config: dict[str, object] = {
        "_class_name": "UNet2DConditionModel",
        "in_channels": first[1],
        "out_channels": out.shape[0] if out is not None and out.shape else 4,
        "block_out_channels": widths,
        "layers_per_block": layers,
        "down_block_types": ["CrossAttnDownBlock2D" if one else "DownBlock2D" for one in kinds],
        "up_block_types": ["CrossAttnUpBlock2D" if one else "UpBlock2D" for one in reversed(kinds)],
        "transformer_layers_per_block": depths,
        "cross_attention_dim": _width(tensors, r".*\.attn2\.to_[kv]\.weight", 1),
        "use_linear_projection": _usual(projections) == 2,
    }
    added = tensors.get("add_embedding.linear_1.weight")
    if added is not None and len(added.shape) == 2:
        config |= {"addition_embed_type": "text_time", "projection_class_embeddings_input_dim": added.shape[1]}
    return config


def _vae_config(tensors: Tensors) -> dict[str, object] | None:
    """An AutoencoderKL's config of its shapes."""
    widths, layers = _widths(tensors, r"encoder\.down_blocks"), _layers(tensors, r"encoder\.down_blocks")
    first, last = tensors["encoder.conv_in.weight"].shape, tensors["decoder.conv_out.weight"].shape
    latent = _width(tensors, r"decoder\.conv_in\.weight", 1)
    if not widths or None in widths or layers is None or len(first) != 4 or len(last) != 4:
        return None
    quantised = any("quant_conv." in name for name in tensors)  # both or none
    return {
        "_class_name": "AutoencoderKL",
        "in_channels": first[1],
        "out_channels": last[0],
        "latent_channels": latent,
        "block_out_channels": widths,
        "layers_per_block": layers,
        "down_block_types": ["DownEncoderBlock2D"] * len(widths),
        "up_block_types": ["UpDecoderBlock2D"] * len(widths),
        "use_quant_conv": quantised,
        "use_post_quant_conv": quantised,
    }
