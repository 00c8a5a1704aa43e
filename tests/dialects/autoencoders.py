"""Converts video autoencoders from diffusers' names to their authors', the inverse of diffusers' converters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tests.dialects import single_file

RESNET = {"norm1": "residual.0", "conv1": "residual.2", "norm2": "residual.3", "conv2": "residual.6",
          "conv_shortcut": "shortcut"}  # fmt: skip
ENDS = {"encoder.conv_in": "encoder.conv1", "decoder.conv_in": "decoder.conv1", "post_quant_conv": "conv2",
        "quant_conv": "conv1", "norm_out": "head.0", "conv_out": "head.2"}  # fmt: skip
MIDDLE = {"resnets.0": 0, "attentions.0": 1, "resnets.1": 2}
STAGE = re.compile(r"(encoder|decoder)\.(down|up)_blocks\.(\d+)\.(?:resnets\.(\d+)\.|(\w+sampler(?:s\.0)?)\.)?(.+)")


def _in_resnet(rest: str) -> str:
    module, _, what = rest.partition(".")
    return f"{RESNET.get(module, module)}.{what}"


def wan(tensors: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `convert_wan_vae_to_diffusers`; Wan 2.2 numbers the stages separately."""
    layers, made = config["num_res_blocks"], {}
    for name, entry in tensors.items():
        found, middle = STAGE.fullmatch(name), re.fullmatch(r"(\w+)\.mid_block\.(\w+\.\d)\.(.+)", name)
        new = name
        if found is not None:
            side, way, stage, layer, sampler, rest = found.groups()
            last = layers if way == "down" else layers + 1
            inner = _in_resnet(rest) if sampler is None else rest
            if config.get("is_residual"):
                new = f"{side}.{way}samples.{stage}.{way}samples.{last if layer is None else layer}.{inner}"
            elif way == "down":
                new = f"{side}.downsamples.{stage}.{inner}"
            else:
                new = f"{side}.upsamples.{int(stage) * (layers + 2) + int(last if layer is None else layer)}.{inner}"
        elif middle is not None:
            rest = _in_resnet(middle[3]) if middle[2].startswith("resnets") else middle[3]
            new = f"{middle[1]}.middle.{MIDDLE[middle[2]]}.{rest}"
        else:
            for old, own in ENDS.items():
                new = new.replace(old, own)
        made[new] = entry
    return made


def ltx(tensors: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `convert_ltx_vae_to_diffusers` and `convert_ltx2_vae_to_diffusers`."""
    pattern = r"(encoder|decoder)\.(?:(mid)_block|(?:down|up)_blocks\.(\d+))\.(conv_in|conv_out|\w+samplers\.0)?\.?(.+)"
    order = {"conv_in": 0, "upsamplers.0": 1, None: 2, "downsamplers.0": 3, "conv_out": 4}
    places: dict[str, set[tuple[int, int]]] = {"encoder": set(), "decoder": set()}
    blocks = {}
    for name in tensors:
        if (found := re.fullmatch(pattern, name)) is not None:
            ends = 1000 if found[1] == "encoder" else -1
            blocks[name] = found[1], (int(found[3]) if found[2] is None else ends, order[found[4]]), found[5]
            places[found[1]].add(blocks[name][1])
    made = {}
    for name, entry in tensors.items():
        new = name
        if name in blocks:
            side, place, rest = blocks[name]
            way = "down" if side == "encoder" else "up"
            new = f"{side}.{way}_blocks.{sorted(places[side]).index(place)}.{rest.replace('resnets.', 'res_blocks.')}"
        if re.search(r"\d\.norm3\.(weight|bias)$", new):
            new = new.replace(".norm3.", ".norm3.norm.")
        made[new.replace("conv_shortcut.conv.", "conv_shortcut.")] = entry
    finals = {"latents_mean": "per_channel_statistics.mean-of-means",
            "latents_std": "per_channel_statistics.std-of-means",
            "decoder.time_embedder.": "decoder.last_time_embedder.",
            "decoder.scale_shift_table": "decoder.last_scale_shift_table"}  # fmt: skip
    for old, own in finals.items():
        made = {name.replace(old, own, 1) if name.startswith(old) else name: entry for name, entry in made.items()}
    return made


def flux2(config: Mapping[str, Any]) -> dict[str, Any]:
    """latent-diffusion's names, with both convolutions over the latents within the halves."""
    within = {"quant_conv": "encoder.quant_conv", "post_quant_conv": "decoder.post_quant_conv"}
    made = {}
    for name, entry in single_file.vae(dict(config)).items():
        module, _, end = name.rpartition(".")
        made[f"{within.get(module, module)}.{end}"] = entry
    return made
