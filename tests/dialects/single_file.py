"""Converts diffusers' components to Stable Diffusion in one file, the inverse of diffusers' single-file loader."""

from __future__ import annotations

import re
from typing import Any

from tests.checkpoints import Spec, genuine
from tests.dialects.converters import joined, renamed

RESNET = {"norm1": "in_layers.0", "conv1": "in_layers.2", "time_emb_proj": "emb_layers.1", "norm2": "out_layers.0",
          "conv2": "out_layers.3", "conv_shortcut": "skip_connection"}  # fmt: skip


def _resnet(rest: str) -> str:
    module, _, what = rest.partition(".")
    return f"{RESNET[module]}.{what}"


def _control(stem: str) -> str:
    """cldm.py: a convolution after each block, one after the middle, and eight over the conditioning image."""
    stem = stem.removeprefix("controlnet_")
    names = {"mid_block": "middle_block_out.0", "cond_embedding.conv_in": "input_hint_block.0",
             "cond_embedding.conv_out": "input_hint_block.14"}  # fmt: skip
    stem = re.sub(r"cond_embedding\.blocks\.(\d)", lambda one: f"input_hint_block.{2 * int(one[1]) + 2}", stem)
    return names.get(stem) or re.sub(r"down_blocks\.(\d+)", r"zero_convs.\1.0", stem)


def unet(config: dict[str, Any]) -> Spec:
    """openaimodel.py: input_blocks numbers first convolution, blocks and downsamplers; output_blocks the up path."""
    each, made = config["layers_per_block"], {}
    crossed = [kind.startswith("Cross") for kind in config.get("up_block_types", ())]
    ends = {"time_embedding.linear_1": "time_embed.0", "time_embedding.linear_2": "time_embed.2",
            "add_embedding.linear_1": "label_emb.0.0", "add_embedding.linear_2": "label_emb.0.2",
            "conv_in": "input_blocks.0.0", "conv_norm_out": "out.0", "conv_out": "out.2"}  # fmt: skip
    for name, entry in genuine(config, "F16").items():
        stem, _, what = name.rpartition(".")
        if stem.startswith("controlnet_"):
            made[f"{_control(stem)}.{what}"] = entry
            continue
        found = re.fullmatch(
            r"(down|up)_blocks\.(\d+)\.(resnets|attentions|downsamplers|upsamplers)\.(\d+)\.(.*)", name
        )
        middle = re.fullmatch(r"mid_block\.(resnets|attentions)\.(\d+)\.(.*)", name)
        if stem in ends:
            new = f"{ends[stem]}.{what}"
        elif middle is not None:
            number = 1 if middle[1] == "attentions" else 2 * int(middle[2])
            new = f"middle_block.{number}.{middle[3] if number == 1 else _resnet(middle[3])}"
        else:
            assert found is not None, name
            stage, layer, rest = int(found[2]), int(found[4]), found[5]
            first = 1 + stage * (each + 1) if found[1] == "down" else stage * (each + 1)
            side = "input_blocks" if found[1] == "down" else "output_blocks"
            if found[3] == "resnets":
                new = f"{side}.{first + layer}.0.{_resnet(rest)}"
            elif found[3] == "attentions":
                new = f"{side}.{first + layer}.1.{rest}"
            elif found[3] == "downsamplers":
                new = f"{side}.{first + each}.0.op.{rest.removeprefix('conv.')}"
            else:
                new = f"{side}.{first + each}.{2 if crossed[stage] else 1}.{rest}"
        made[new] = entry
    return made


def vae(config: dict[str, Any]) -> Spec:
    """model.py of the first stage: the decoder's stages are numbered from its output, attention uses convolutions."""
    last, made = len(config["block_out_channels"]) - 1, {}
    for name, (dtype, shape) in genuine(config, "F16").items():
        new = name.replace("conv_norm_out", "norm_out").replace("conv_shortcut", "nin_shortcut")
        new = re.sub(r"mid_block\.resnets\.(\d)", lambda one: f"mid.block_{int(one[1]) + 1}", new)
        new = new.replace("mid_block.attentions.0.group_norm", "mid.attn_1.norm")
        new = re.sub(r"mid_block\.attentions\.0\.to_([qkv])\b", r"mid.attn_1.\1", new)
        new = new.replace("mid_block.attentions.0.to_out.0", "mid.attn_1.proj_out")
        new = re.sub(r"down_blocks\.(\d)\.resnets\.(\d)", r"down.\1.block.\2", new)
        new = re.sub(r"down_blocks\.(\d)\.downsamplers\.0", r"down.\1.downsample", new)
        new = re.sub(r"up_blocks\.(\d)\.resnets\.(\d)", lambda one: f"up.{last - int(one[1])}.block.{one[2]}", new)
        new = re.sub(r"up_blocks\.(\d)\.upsamplers\.0", lambda one: f"up.{last - int(one[1])}.upsample", new)
        new = re.sub(r"down_blocks\.(\d)\.attentions\.(\d)", r"down.\1.attn.\2", new)
        new = re.sub(r"up_blocks\.(\d)\.attentions\.(\d)", lambda one: f"up.{last - int(one[1])}.attn.{one[2]}", new)
        if ".attn." in new:
            new = new.replace(".group_norm.", ".norm.").replace(".to_out.0.", ".proj_out.").replace(".to_", ".")
        point = (".attn_1." in new or ".attn." in new) and len(shape) == 2
        made[new] = (dtype, (*shape, 1, 1) if point else shape)
    return made


def openclip(config: dict[str, Any]) -> Spec:
    """open_clip's TextTransformer: one matrix for q, k and v; positions and projection are bare parameters."""
    spec = joined(genuine(config, "F16"), tuple(f"self_attn.{one}_proj" for one in "qkv"), "attn.in_proj")
    layer, to = r"text_model\.encoder\.layers\.(\d+)\.", r"transformer.resblocks.\1."
    made = renamed(spec, [
        (r"text_model\.embeddings\.token_embedding\.(.*)", r"token_embedding.\1"),
        (r"text_model\.embeddings\.position_embedding\.weight", "positional_embedding"),
        (r"text_model\.final_layer_norm\.(.*)", r"ln_final.\1"),
        (r"text_projection\.weight", "text_projection"),
        (layer + r"layer_norm([12])\.(.*)", to + r"ln_\2.\3"),
        (layer + r"attn\.in_proj\.(.*)", to + r"attn.in_proj_\2"),
        (layer + r"self_attn\.out_proj\.(.*)", to + r"attn.out_proj.\2"),
        (layer + r"mlp\.fc1\.(.*)", to + r"mlp.c_fc.\2"),
        (layer + r"mlp\.fc2\.(.*)", to + r"mlp.c_proj.\2"),
    ])  # fmt: skip
    if "text_projection" in made:
        dtype, (outputs, inputs) = made["text_projection"]
        made["text_projection"] = (dtype, (inputs, outputs))
    return made | {"logit_scale": ("F16", ())}


def under(prefix: str, spec: Spec) -> Spec:
    """Names below a prefix."""
    return {f"{prefix}{name}": entry for name, entry in spec.items()}
