"""Black Forest Labs: FLUX.

Source: `flux/model.py`, `flux/modules/layers.py`; which row is which: diffusers' `convert_flux_to_diffusers.py`.
"""

from __future__ import annotations

from typing import Final

from inspector.dialects.language import Dialect

_D: Final = "double_blocks.{0}."
_S: Final = "single_blocks.{0}."
FLUX: Final = Dialect(
    writer="Black Forest Labs",
    exporter="from_single_file of its class in diffusers",
    names={
        "embed.patch": "img_in",
        "embed.text": "txt_in",
        "embed.time.1": "time_in.in_layer",
        "embed.time.2": "time_in.out_layer",
        "embed.text.1": "vector_in.in_layer",
        "embed.text.2": "vector_in.out_layer",
        "embed.guidance.1": "guidance_in.in_layer",
        "embed.guidance.2": "guidance_in.out_layer",
        "norm.modulation": _D + "img_mod.lin",
        "norm.modulation.text": _D + "txt_mod.lin",
        "attention.qkv": _D + "img_attn.qkv",
        "attention.output": _D + "img_attn.proj",
        "cross.qkv": _D + "txt_attn.qkv",
        "cross.output": _D + "txt_attn.proj",
        "norm.query": _D + "img_attn.norm.query_norm.scale=",
        "norm.key": _D + "img_attn.norm.key_norm.scale=",
        "norm.cross.query": _D + "txt_attn.norm.query_norm.scale=",
        "norm.cross.key": _D + "txt_attn.norm.key_norm.scale=",
        "mlp.up": _D + "img_mlp.0",
        "mlp.down": _D + "img_mlp.2",
        "text/mlp.up": _D + "txt_mlp.0",
        "text/mlp.down": _D + "txt_mlp.2",
        "single/norm.modulation": _S + "modulation.lin",
        "single/attention.qkv_mlp": _S + "linear1",
        "single/attention.output": _S + "linear2",
        "single/norm.query": _S + "norm.query_norm.scale=",
        "single/norm.key": _S + "norm.key_norm.scale=",
        "norm.modulation.out": "final_layer.adaLN_modulation.1",
        "head.image": "final_layer.linear",
    },
    signs=(
        ("double_blocks.#.img_attn.qkv.weight", "single_blocks.#.linear1.weight"),
        ("double_blocks.#.img_mod.lin.weight",),
    ),
    types=("FluxTransformer2DModel",),
    prefixes=("", "model.diffusion_model.", "model.", "diffusion_model."),
)
