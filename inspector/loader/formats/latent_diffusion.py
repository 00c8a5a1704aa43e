"""Stable Diffusion in one file: which tensor is of which component, and what diffusers calls it. Pure.

The names are those of CompVis' latent-diffusion (`ldm/modules/diffusionmodules/openaimodel.py`, `model.py`,
`models/diffusion/ddpm.py`) and of Stability's generative-models (`conditioner.embedders`); which block is which:
diffusers' `loaders/single_file_utils.py`. ComfyUI writes `vae.` and `text_encoders.` for the same parts.
Blocks of the UNet are numbered through: a stage has `layers_per_block` residual blocks and what changes the size.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import gcd
from typing import Final

from inspector.loader.formats.part_signs import BARE
from inspector.loader.layout import Layout

Tensors = Mapping[str, Layout]

PREFIXES: Final = {
    "model.diffusion_model.": "unet",
    "first_stage_model.": "vae",
    "vae.": "vae",
    "cond_stage_model.transformer.": "text_encoder",
    "cond_stage_model.model.": "text_encoder",
    "conditioner.embedders.0.transformer.": "text_encoder",
    "conditioner.embedders.0.model.": "text_encoder",
    "conditioner.embedders.1.model.": "text_encoder_2",
    "text_encoders.clip_l.transformer.": "text_encoder",
    "text_encoders.clip_g.transformer.": "text_encoder_2",
    "text_encoders.t5xxl.transformer.": "text_encoder_3",
}
"""What stands before a component's names -> the component, as diffusers' pipelines call it."""
EMA: Final = "model_ema."
_SCHEDULE: Final = re.compile(
    r"(?:betas|logvar|lvlb_weights|scale_factor|denoiser\.sigmas|model_ema\.(?:decay|num_updates)"
    r"|(?:sqrt_|log_)?(?:one_minus_|recip_|recipm1_)?alphas_cumprod(?:_prev)?"
    r"|posterior_(?:variance|log_variance_clipped|mean_coef[12]))",
    re.ASCII,
)
"""Tables of the noise schedule, worked out from the config."""


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the file. names: as diffusers or transformers call them -> in the file. config: what the shapes say."""

    name: str
    prefix: str
    tensors: dict[str, Layout]
    names: dict[str, str]
    config: dict[str, object] | None = None

    def stored(self, name: str) -> str:
        """A name as the file has it; of one that is not there, as its nearest sibling's module shows."""
        if name in self.names:
            return self.names[name]
        segments = name.split(".")
        for cut in range(len(segments) - 1, 0, -1):
            module, tail = ".".join(segments[:cut]) + ".", ".".join(segments[cut:])
            for known, found in self.names.items():
                own = known[len(module) :]
                if known.startswith(module) and f".{found}".endswith(f".{own}"):
                    return found.removesuffix(own) + tail
        return self.prefix + name


@dataclass(frozen=True, slots=True)
class SingleFile:
    """All parts. ema: averages of the UNet's weights; schedule: tables; scales: single numbers beside a text model."""

    components: tuple[Component, ...]
    ema: dict[str, Layout] = field(default_factory=dict)
    schedule: dict[str, Layout] = field(default_factory=dict)
    scales: dict[str, Layout] = field(default_factory=dict)
    others: dict[str, Layout] = field(default_factory=dict)


def parts_of(tensors: Tensors) -> SingleFile:
    """The components of a file."""
    parts: dict[str, dict[str, Layout]] = {}
    found = SingleFile(())
    bare = next((component for sign, component in BARE.items() if sign in tensors), None)
    for name, layout in tensors.items():
        prefix = next((one for one in PREFIXES if name.startswith(one)), None if bare is None else "")
        if _SCHEDULE.fullmatch(name):
            found.schedule[name] = layout
        elif name.startswith(EMA):
            found.ema[name] = layout
        elif prefix is None:
            found.others[name] = layout
        elif name.removeprefix(prefix) == "logit_scale":
            found.scales[name] = layout
        elif name.removeprefix(prefix) == "attn_mask":
            found.schedule[name] = layout
        else:
            parts.setdefault(prefix, {})[name.removeprefix(prefix)] = layout
    components = tuple(_component(PREFIXES.get(prefix, bare or ""), prefix, inner) for prefix, inner in parts.items())
    return SingleFile(components, found.ema, found.schedule, found.scales, found.others)


def _component(name: str, prefix: str, tensors: Tensors) -> Component:
    rename: Callable[[str], str] = str
    config: dict[str, object] | None = None
    if "input_blocks.0.0.weight" in tensors:
        rename = _unet_names(tensors)
    elif "encoder.conv_in.weight" in tensors or "decoder.conv_in.weight" in tensors:
        rename = _vae_names(tensors)
    elif any(sign in tensors for sign in _TRANSFORMER):
        name = "transformer"
    made: dict[str, Layout] = {}
    names: dict[str, str] = {}
    for stored, layout in tensors.items():
        new = rename(stored)
        new = stored if new in made else new
        made[new] = _flat(layout) if new.endswith(_LINEAR) and ".attentions." in new and name == "vae" else layout
        names[new] = f"{prefix}{stored}"
    if "conv_in.weight" in made and "mid_block.resnets.0.conv1.weight" in made:
        config = _unet_config(made)
    elif "encoder.conv_in.weight" in made and "decoder.conv_out.weight" in made:
        config = _vae_config(made)
    return Component(name, prefix, made, names, config)


_TRANSFORMER: Final = ("double_blocks.0.img_mod.lin.weight", "joint_blocks.0.x_block.attn.qkv.weight")
"""What shows that a transformer stands where a UNet stood."""
_LINEAR: Final = ("to_q.weight", "to_k.weight", "to_v.weight", "to_out.0.weight")
_RESNET: Final = {
    "in_layers.0": "norm1",
    "in_layers.2": "conv1",
    "emb_layers.1": "time_emb_proj",
    "out_layers.0": "norm2",
    "out_layers.3": "conv2",
    "skip_connection": "conv_shortcut",
}
_UNET_ENDS: Final = {
    "time_embed.0": "time_embedding.linear_1",
    "time_embed.2": "time_embedding.linear_2",
    "label_emb.0.0": "add_embedding.linear_1",
    "label_emb.0.2": "add_embedding.linear_2",
    "input_blocks.0.0": "conv_in",
    "out.0": "conv_norm_out",
    "out.2": "conv_out",
}


def _flat(layout: Layout) -> Layout:
    """A convolution of one point as the matrix that it is: [out, in, 1, 1] as [out, in]."""
    if layout.shape[2:] != (1, 1):
        return layout
    return Layout(layout.dtype, layout.shape[:2], layout.elements, layout.bytes)


def _unet_names(tensors: Tensors) -> Callable[[str], str]:
    """What renames a UNet's tensors: a stage ends with a block that halves the size, at even distances."""
    halving = {int(one[1]) for name in tensors if (one := re.fullmatch(r"input_blocks\.(\d{1,4})\.0\.op\.\w+", name))}
    stage = gcd(*halving) or 3

    def rename(name: str) -> str:
        for old, new in _UNET_ENDS.items():
            if name.startswith(f"{old}."):
                return new + name[len(old) :]
        found = re.fullmatch(r"(input_blocks|middle_block|output_blocks)\.(\d+)(?:\.(\d+))?\.(.+)", name)
        if found is None or not stage:
            return name
        side, number, module, rest = found[1], int(found[2]), int(found[3] or 0), found[4]
        if side == "middle_block":
            inner = rest if found[3] is None else f"{found[3]}.{rest}"
            return (
                f"mid_block.attentions.0.{inner}" if number == 1 else f"mid_block.resnets.{number // 2}.{_inner(inner)}"
            )
        if found[3] is None:
            return name
        if side == "input_blocks":
            where, layer = divmod(number - 1, stage)
            if rest.startswith("op."):
                return f"down_blocks.{where}.downsamplers.0.conv.{rest[3:]}"
            return f"down_blocks.{where}.{_block(module, layer, rest)}"
        where, layer = divmod(number, stage)
        if rest in ("conv.weight", "conv.bias"):
            return f"up_blocks.{where}.upsamplers.0.{rest}"
        return f"up_blocks.{where}.{_block(module, layer, rest)}"

    return rename


def _block(module: int, layer: int, rest: str) -> str:
    return f"attentions.{layer}.{rest}" if module else f"resnets.{layer}.{_inner(rest)}"


def _inner(rest: str) -> str:
    """A residual block's module."""
    for old, new in _RESNET.items():
        if rest.startswith(f"{old}."):
            return new + rest[len(old) :]
    return rest


_VAE: Final = (
    (r"(encoder|decoder)\.norm_out\.", r"\1.conv_norm_out."),
    (r"(encoder|decoder)\.mid\.block_1\.", r"\1.mid_block.resnets.0."),
    (r"(encoder|decoder)\.mid\.block_2\.", r"\1.mid_block.resnets.1."),
    (r"(encoder|decoder)\.mid\.attn_1\.norm\.", r"\1.mid_block.attentions.0.group_norm."),
    (r"(encoder|decoder)\.mid\.attn_1\.([qkv])\.", r"\1.mid_block.attentions.0.to_\2."),
    (r"(encoder|decoder)\.mid\.attn_1\.proj_out\.", r"\1.mid_block.attentions.0.to_out.0."),
    (r"encoder\.down\.(\d+)\.block\.(\d+)\.", r"encoder.down_blocks.\1.resnets.\2."),
    (r"encoder\.down\.(\d+)\.downsample\.", r"encoder.down_blocks.\1.downsamplers.0."),
    (r"decoder\.up\.(\d+)\.block\.(\d+)\.", r"decoder.up_blocks.\1.resnets.\2."),
    (r"decoder\.up\.(\d+)\.upsample\.", r"decoder.up_blocks.\1.upsamplers.0."),
)
_COMPILED: Final = tuple((re.compile(pattern), new) for pattern, new in _VAE)


def _vae_names(tensors: Tensors) -> Callable[[str], str]:
    """What renames an autoencoder's tensors: the decoder's stages are counted from the other end."""
    stages = {int(found[1]) for name in tensors if (found := re.match(r"decoder\.up\.(\d{1,3})\.", name))}
    last = max(stages, default=0)

    def rename(name: str) -> str:
        for pattern, new in _COMPILED:
            name, count = pattern.subn(new, name, count=1)
            if count:
                break
        name = re.sub(r"^decoder\.up_blocks\.(\d+)", lambda one: f"decoder.up_blocks.{last - int(one[1])}", name)
        return name.replace(".nin_shortcut.", ".conv_shortcut.")

    return rename


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
