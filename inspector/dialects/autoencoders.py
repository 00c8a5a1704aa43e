"""Renames video autoencoders whose authors number all blocks in one sequence: Wan and LTX-Video. Pure.

Source: diffusers' `loaders/single_file_utils.py` and `scripts/convert_wan_to_diffusers.py`. The position of a block
follows only from all names together, so the tensors are renamed before they are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from inspector.loader.layout import Layout

Rename = Callable[[str], str]

WAN_SIGNS: Final = ("decoder.middle.0.residual.0.gamma", "encoder.middle.0.residual.0.gamma")
LTX_SIGN: Final = "per_channel_statistics.std-of-means"
_WAN_RESNET: Final = {
    "residual.0.": "norm1.", "residual.2.": "conv1.", "residual.3.": "norm2.", "residual.6.": "conv2.",
    "shortcut.": "conv_shortcut.",
}  # fmt: skip
_WAN_ENDS: Final = {
    "conv1.": "quant_conv.",
    "conv2.": "post_quant_conv.",
    "encoder.conv1.": "encoder.conv_in.",
    "decoder.conv1.": "decoder.conv_in.",
    **{f"{side}.{own}": f"{side}.{new}" for side in ("encoder", "decoder") for own, new in (
        ("head.0.", "norm_out."), ("head.2.", "conv_out."),
        ("middle.0.", "mid_block.resnets.0."), ("middle.1.", "mid_block.attentions.0."),
        ("middle.2.", "mid_block.resnets.1."))},
}  # fmt: skip
_WAN_BLOCK: Final = re.compile(
    r"((?:en|de)coder)\.(down|up)samples\.(\d{1,4})\.(?:(?:down|up)samples\.(\d{1,4})\.)?(.+)"
)
_LTX_BLOCK: Final = re.compile(r"(encoder|decoder)\.(?:down|up)_blocks\.(\d{1,4})\.(.+)")
_LTX_ENDS: Final = (
    ("per_channel_statistics.mean-of-means", "latents_mean"),
    ("per_channel_statistics.std-of-means", "latents_std"),
    ("last_time_embedder.", "time_embedder."),
    ("last_scale_shift_table", "scale_shift_table"),
    (".conv_shortcut.", ".conv_shortcut.conv."),
    (".conv_shortcut.conv.conv.", ".conv_shortcut.conv."),
    (".res_blocks.", ".resnets."),
    (".norm3.norm.", ".norm3."),
)


def renaming(tensors: Mapping[str, Layout]) -> Rename | None:
    """The function that gives an autoencoder's tensors diffusers' names; None if it is neither Wan's
    nor LTX-Video's.
    """
    if any(sign in tensors for sign in WAN_SIGNS):
        return _wan(tensors)
    if LTX_SIGN in tensors and any(_LTX_BLOCK.fullmatch(name) for name in tensors):
        return _ltx(tensors)
    return None


def _wan(tensors: Mapping[str, Layout]) -> Rename:
    """Renames Wan's tensors. A stage of the decoder ends with a block that resizes; Wan 2.2 numbers the stages
    themselves.
    """
    resized = sorted({int(found[3]) for name in tensors if (found := _WAN_BLOCK.fullmatch(name)) and not found[4]
                      and found[2] == "up" and found[5].startswith(("resample.", "time_conv."))})  # fmt: skip

    def rename(name: str) -> str:
        for old, new in _WAN_ENDS.items():
            if name.startswith(old):
                return _in_resnet(new + name[len(old) :])
        found = _WAN_BLOCK.fullmatch(name)
        if found is None:
            return name
        side, way, block, inner, rest = found.groups()
        if inner is not None:
            module = f"{way}sampler" if rest.startswith(("resample.", "time_conv.")) else f"resnets.{inner}"
            return f"{side}.{way}_blocks.{block}.{module}.{_resnet(rest)}"
        if way == "down":
            return f"{side}.down_blocks.{block}.{_resnet(rest)}"
        stage = sum(1 for one in resized if one < int(block))
        if int(block) in resized:
            return f"{side}.up_blocks.{stage}.upsamplers.0.{rest}"
        first = resized[stage - 1] + 1 if stage else 0
        return f"{side}.up_blocks.{stage}.resnets.{int(block) - first}.{_resnet(rest)}"

    return rename


def _resnet(rest: str) -> str:
    """The name of a tensor of a residual block."""
    for old, new in _WAN_RESNET.items():
        if rest.startswith(old):
            return new + rest[len(old) :]
    return rest


def _in_resnet(name: str) -> str:
    """A name with the modules of a residual block renamed, if it has any."""
    found = re.fullmatch(r"(.*mid_block\.resnets\.\d\.)(.+)", name)
    return name if found is None else found[1] + _resnet(found[2])


def _ltx(tensors: Mapping[str, Layout]) -> Rename:
    """Renames LTX-Video's tensors: blocks of layers, of resizing and of changing channels share one sequence of
    numbers.
    """
    blocks: dict[tuple[str, int], set[str]] = {}
    for name in tensors:
        if found := _LTX_BLOCK.fullmatch(name):
            blocks.setdefault((found[1], int(found[2])), set()).add(found[3].partition(".")[0])
    kinds = {
        side: [(number, _kind(blocks[one, number])) for one, number in sorted(blocks) if one == side]
        for side in ("encoder", "decoder")
    }
    places = {
        **{("encoder", number): place for number, place in _encoder(kinds["encoder"])},
        **{("decoder", number): place for number, place in _decoder(kinds["decoder"])},
    }

    def rename(name: str) -> str:
        if found := _LTX_BLOCK.fullmatch(name):
            name = f"{found[1]}.{places[found[1], int(found[2])]}.{found[3]}"
        for old, new in _LTX_ENDS:
            name = name.replace(old, new)
        return name

    return rename


def _kind(modules: set[str]) -> str:
    """The kind of a block: layers, one layer that changes the channels, or a convolution that resizes."""
    return "layers" if "res_blocks" in modules else "layer" if "conv1" in modules else "resize"


def _encoder(blocks: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """(block number, diffusers' name) in the encoder. Each stage begins with its layers; the last layers are the
    middle.
    """
    stage, found = -1, list(blocks)
    last = max((number for number, kind in found if kind == "layers"), default=0)
    names = {"layers": "", "resize": ".downsamplers.0", "layer": ".conv_out"}
    for number, kind in found:
        stage += kind == "layers"
        yield number, "mid_block" if number == last else f"down_blocks.{stage}{names[kind]}"


def _decoder(blocks: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """(block number, diffusers' name) in the decoder. Each stage ends with its layers; the first layers
    are the middle.
    """
    stage, names = -1, {"layers": "", "resize": ".upsamplers.0", "layer": ".conv_in"}
    for number, kind in blocks:
        yield number, "mid_block" if stage < 0 else f"up_blocks.{stage}{names[kind]}"
        stage += kind == "layers"
