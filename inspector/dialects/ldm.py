"""CompVis' latent-diffusion: the names of the UNet, the autoencoder and ControlNets in files of Stable Diffusion. Pure.

`ldm/modules/diffusionmodules/openaimodel.py` and `model.py`, ControlNet's `cldm/cldm.py`; which block is which:
diffusers' `loaders/single_file_utils.py`. The UNet numbers all its blocks in one sequence and the decoder its stages in
reverse, so that positions follow only from all names together: the tensors are renamed before they are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import gcd
from typing import Final

import msgspec

from inspector.dialects.language import Dialect
from inspector.dialects.lone_signs import VAE_3D_SIGN
from inspector.dialects.unread_prefixes import NETWORK
from inspector.loader.layout import Layout

Rename = Callable[[str], str]

LDM: Final = Dialect(
    writer="CompVis' latent-diffusion",
    exporter="from_single_file(FILE, config=FOLDER) of its class in diffusers",
    names={},
    signs=(),
)
"""The program; its names cannot be described by a table."""
LDM_UNET: Final = msgspec.structs.replace(
    LDM,
    writer="CompVis' latent-diffusion (the UNet alone)",
    exporter=f'{LDM.exporter}, once "model.diffusion_model." is before every name',
)
"""The same for UNet names without a prefix, in which diffusers does not recognise a UNet."""
LDM_STAGES: Final = msgspec.structs.replace(
    LDM,
    writer="CompVis' latent-diffusion (attention in the stages)",
    exporter="code that renames the attention in the stages and joins the dims of its matrices, which"
    " from_single_file of diffusers does not",
)
"""The same for an autoencoder with attention outside the middle: diffusers converts only the attention
of the middle.
"""
LDM_3D: Final = msgspec.structs.replace(
    LDM,
    writer="ComfyUI (an autoencoder of videos in latent-diffusion's names)",
    exporter="code that renames the modules and joins the dims of the attention's matrices, as from_single_file of"
    " diffusers has none for this class",
)
"""ComfyUI's names of HunyuanVideo's autoencoder (`AutoencoderKL` with `conv3d` in its `model.py`)."""
STAGE_ATTENTION: Final = re.compile(r"(?:.*\.)?(?:down|up)\.\d+\.attn\.\d+\..+")
"""A name in the attention of a stage."""

RESIDUAL_BLOCK: Final = {
    "in_layers.0": "norm1",
    "in_layers.2": "conv1",
    "emb_layers.1": "time_emb_proj",
    "out_layers.0": "norm2",
    "out_layers.3": "conv2",
    "skip_connection": "conv_shortcut",
}
"""A module of a residual block -> its name in diffusers."""
UNET_ENDS: Final = {
    "time_embed.0": "time_embedding.linear_1",
    "time_embed.2": "time_embedding.linear_2",
    "label_emb.0.0": "add_embedding.linear_1",
    "label_emb.0.2": "add_embedding.linear_2",
    "input_blocks.0.0": "conv_in",
    "out.0": "conv_norm_out",
    "out.2": "conv_out",
}
"""A module of the UNet outside the blocks -> its name in diffusers."""
_OF_ENDS: Final = {own: theirs for theirs, own in UNET_ENDS.items()}
CONTROL_ENDS: Final = {"middle_block_out.0": "controlnet_mid_block"}
"""A module of a ControlNet outside the blocks that the UNet does not have -> its name in diffusers."""
HINT: Final = "input_hint_block.0.weight"
"""The first convolution over the conditioning image, which only a ControlNet has."""
AUTOENCODER: Final = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        (r"(encoder|decoder)\.norm_out\.", r"\1.conv_norm_out."),
        (r"(encoder|decoder)\.mid\.block_1\.", r"\1.mid_block.resnets.0."),
        (r"(encoder|decoder)\.mid\.block_2\.", r"\1.mid_block.resnets.1."),
        (r"(encoder|decoder)\.mid\.attn_1\.norm\.", r"\1.mid_block.attentions.0.group_norm."),
        (r"(encoder|decoder)\.mid\.attn_1\.(?:to_)?([qkv])\.", r"\1.mid_block.attentions.0.to_\2."),
        (r"(encoder|decoder)\.mid\.attn_1\.(?:proj_out|to_out\.0)\.", r"\1.mid_block.attentions.0.to_out.0."),
        *(
            (rf"{half}\.{way}\.(\d+)\.attn\.(\d+)\.{old}\.", rf"{half}.{way}_blocks.\1.attentions.\2.{new}.")
            for half, way in (("encoder", "down"), ("decoder", "up"))
            for old, new in (
                ("norm", "group_norm"),
                ("q", "to_q"),
                ("k", "to_k"),
                ("v", "to_v"),
                ("proj_out", r"to_out.0"),
            )
        ),
        (r"encoder\.down\.(\d+)\.block\.(\d+)\.", r"encoder.down_blocks.\1.resnets.\2."),
        (r"encoder\.down\.(\d+)\.downsample\.", r"encoder.down_blocks.\1.downsamplers.0."),
        (r"decoder\.up\.(\d+)\.block\.(\d+)\.", r"decoder.up_blocks.\1.resnets.\2."),
        (r"decoder\.up\.(\d+)\.upsample\.", r"decoder.up_blocks.\1.upsamplers.0."),
        (r"^encoder\.quant_conv\.", "quant_conv."),
        (r"^decoder\.post_quant_conv\.", "post_quant_conv."),
    )
)
"""A name of the autoencoder -> its name in diffusers; the first matching pattern counts.

FLUX.2's autoencoder has both convolutions over the latents within its halves. Stages may have attention like the
middle (`attn_resolutions`). Converters that read an autoencoder of a later diffusers
left its new names of the matrices in the middle (`to_q`) unchanged.
"""
_LEFT: Final = re.compile(r"(?P<attention>.*\.mid\.attn_1\.)(?P<part>to_[qkv]|to_out\.0)\.(?P<end>weight|bias)")
"""A name that such a converter left unchanged."""
_MATRICES: Final = ("to_q.weight", "to_k.weight", "to_v.weight", "to_out.0.weight")
_CONTROL: Final = re.compile(r"(zero_convs|input_hint_block)\.(\d{1,4})\.(.+)")
_BLOCK: Final = re.compile(r"(input_blocks|middle_block|output_blocks)\.(\d+)(?:\.(\d+))?\.(.+)")


def renaming(tensors: Mapping[str, Layout]) -> Rename | None:
    """The function that gives a component's tensors diffusers' names; None unless it is a UNet, a
    ControlNet or a VAE.
    """
    if HINT in tensors:
        return _controlnet(tensors)
    if "input_blocks.0.0.weight" in tensors:
        return _unet(tensors)
    if not tensors.keys().isdisjoint(("encoder.conv_in.weight", "decoder.conv_in.weight", VAE_3D_SIGN)):
        return _autoencoder(tensors)
    return None


def left_by_converter(name: str) -> str | None:
    """The name that diffusers' reader of single files expects, for a name that is partly diffusers'; None for other
    names.
    """
    found = _LEFT.fullmatch(name)
    if found is None:
        module, _, end = name.removeprefix(NETWORK).rpartition(".")
        own = _OF_ENDS.get(module) if name.startswith(NETWORK) else None
        return None if own is None else f"{NETWORK}{own}.{end}"
    part = "proj_out" if found["part"] == "to_out.0" else found["part"].removeprefix("to_")
    return f"{found['attention']}{part}.{found['end']}"


def as_matrix(name: str, layout: Layout) -> Layout:
    """A convolution of one point in attention as the matrix that it is in diffusers: [out, in, 1, 1] becomes [out, in],
    and so does the one of three dims.
    """
    if layout.shape[2:] not in ((1, 1), (1, 1, 1)) or ".attentions." not in name or not name.endswith(_MATRICES):
        return layout
    return Layout(layout.dtype, layout.shape[:2], layout.elements, layout.bytes)


def _unet(tensors: Mapping[str, Layout]) -> Rename:
    """Renames a UNet. Each stage ends with a block that halves the size; their distance is the length of a stage."""
    halving = {int(one[1]) for name in tensors if (one := re.fullmatch(r"input_blocks\.(\d{1,4})\.0\.op\.\w+", name))}
    length = gcd(*halving) or 3

    def rename(name: str) -> str:
        for old, new in UNET_ENDS.items():
            if name.startswith(f"{old}."):
                return new + name[len(old) :]
        found = _BLOCK.fullmatch(name)
        if found is None:
            return name
        side, number, module, rest = found[1], int(found[2]), found[3], found[4]
        if side == "middle_block":
            return _middle(number, rest if module is None else f"{module}.{rest}")
        if module is None:
            return name
        if side == "input_blocks":
            stage, layer = divmod(number - 1, length)
            if rest.startswith("op."):
                return f"down_blocks.{stage}.downsamplers.0.conv.{rest[3:]}"
            return f"down_blocks.{stage}.{_module(int(module), layer, rest)}"
        stage, layer = divmod(number, length)
        if rest in ("conv.weight", "conv.bias"):
            return f"up_blocks.{stage}.upsamplers.0.{rest}"
        return f"up_blocks.{stage}.{_module(int(module), layer, rest)}"

    return rename


def _controlnet(tensors: Mapping[str, Layout]) -> Rename:
    """Renames a ControlNet: the down half of a UNet, with a convolution after each block and several over the image."""
    unet = _unet(tensors)
    hints = [
        int(found[2]) for name in tensors if (found := _CONTROL.fullmatch(name)) and found[1] == "input_hint_block"
    ]
    last = max(hints)

    def rename(name: str) -> str:
        for old, new in CONTROL_ENDS.items():
            if name.startswith(f"{old}."):
                return new + name[len(old) :]
        found = _CONTROL.fullmatch(name)
        if found is None:
            return unet(name)
        number, rest = int(found[2]), found[3]
        if found[1] == "zero_convs":
            return f"controlnet_down_blocks.{number}.{rest.removeprefix('0.')}"
        place = {0: "conv_in", last: "conv_out"}.get(number, f"blocks.{number // 2 - 1}")
        return f"controlnet_cond_embedding.{place}.{rest}"

    return rename


def _middle(number: int, rest: str) -> str:
    """The name of a tensor of the middle block: two residual blocks around an attention."""
    return f"mid_block.attentions.0.{rest}" if number == 1 else f"mid_block.resnets.{number // 2}.{_residual(rest)}"


def _module(module: int, layer: int, rest: str) -> str:
    """The name of a tensor of a stage: of a layer's residual block, or of the attention after it."""
    return f"attentions.{layer}.{rest}" if module else f"resnets.{layer}.{_residual(rest)}"


def _residual(rest: str) -> str:
    for old, new in RESIDUAL_BLOCK.items():
        if rest.startswith(f"{old}."):
            return new + rest[len(old) :]
    return rest


def _autoencoder(tensors: Mapping[str, Layout]) -> Rename:
    """Renames an autoencoder. The decoder's stages are numbered in reverse."""
    stages = {int(found[1]) for name in tensors if (found := re.match(r"decoder\.up\.(\d{1,3})\.", name))}
    last = max(stages, default=0)

    def rename(name: str) -> str:
        for pattern, new in AUTOENCODER:
            name, count = pattern.subn(new, name, count=1)
            if count:
                break
        name = re.sub(r"^decoder\.up_blocks\.(\d+)", lambda one: f"decoder.up_blocks.{last - int(one[1])}", name)
        return name.replace(".nin_shortcut.", ".conv_shortcut.")

    return rename
