"""Stability AI: Stable Diffusion 3.

Source: `mmditx.py` of sd3.5 (JointBlock, x_block and context_block); diffusers' `loaders/single_file_utils.py`.
"""

from __future__ import annotations

from typing import Final

from inspector.dialects.language import Dialect

_X: Final = "joint_blocks.{0}.x_block."
_C: Final = "joint_blocks.{0}.context_block."
SD3: Final = Dialect(
    writer="Stability AI",
    exporter="from_single_file of its class in diffusers",
    names={
        "embed.patch": "x_embedder.proj",
        "embed.position": "pos_embed=",
        "embed.text": "context_embedder",
        "embed.time.1": "t_embedder.mlp.0",
        "embed.time.2": "t_embedder.mlp.2",
        "embed.text.1": "y_embedder.mlp.0",
        "embed.text.2": "y_embedder.mlp.2",
        "norm.modulation": _X + "adaLN_modulation.1",
        "norm.modulation.text": _C + "adaLN_modulation.1",
        "attention.qkv": _X + "attn.qkv",
        "attention.output": _X + "attn.proj",
        "second/attention.qkv": _X + "attn2.qkv",
        "second/attention.output": _X + "attn2.proj",
        "cross.qkv": _C + "attn.qkv",
        "cross.output": _C + "attn.proj",
        "norm.query": _X + "attn.ln_q",
        "norm.key": _X + "attn.ln_k",
        "second/norm.query": _X + "attn2.ln_q",
        "second/norm.key": _X + "attn2.ln_k",
        "norm.cross.query": _C + "attn.ln_q",
        "norm.cross.key": _C + "attn.ln_k",
        "mlp.up": _X + "mlp.fc1",
        "mlp.down": _X + "mlp.fc2",
        "text/mlp.up": _C + "mlp.fc1",
        "text/mlp.down": _C + "mlp.fc2",
        "norm.modulation.out": "final_layer.adaLN_modulation.1",
        "head.image": "final_layer.linear",
    },
    signs=(("joint_blocks.#.x_block.attn.qkv.weight", "joint_blocks.#.context_block.attn.qkv.weight"),),
    types=("SD3Transformer2DModel",),
    prefixes=("", "model.diffusion_model.", "model.", "diffusion_model."),
)
