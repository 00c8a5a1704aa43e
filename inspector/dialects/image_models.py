"""Image models in their authors' layouts, which ComfyUI keeps: Chroma, FLUX.2 and 3, AuraFlow, Lumina 2, Z-Image, Sana,
Krea 2, Qwen-Image 2.1, Stable Cascade.

Source: diffusers' `loaders/single_file_utils.py`.
"""

from __future__ import annotations

from typing import Final

import msgspec

from inspector.dialects.flux import FLUX
from inspector.dialects.language import Dialect, stored
from inspector.notation.definition import part
from inspector.notation.kinds import param, scale

_COMFY: Final = ("", "model.diffusion_model.", "model.", "diffusion_model.")
_SINGLE_FILE: Final = "from_single_file of its class in diffusers"
_A: Final = "distilled_guidance_layer."
_D: Final = "double_blocks.{0}."
_S: Final = "single_blocks.{0}."

CHROMA: Final = msgspec.structs.replace(
    FLUX,
    writer="Chroma's authors",
    names={
        **FLUX.names,
        "approximator/embed.modulation.in": _A + "in_proj",
        "approximator/embed.modulation.out": _A + "out_proj",
        "approximator/mlp.up": _A + "layers.{0}.in_layer",
        "approximator/mlp.down": _A + "layers.{0}.out_layer",
        "approximator/norm.mlp": _A + "norms.{0}.scale=",
    },
    signs=((f"{_A}in_proj.weight",), (f"{_A}layers.#.in_layer.weight",)),
    types=("ChromaTransformer2DModel",),
    exclusive=True,
)
FLUX2: Final = Dialect(
    writer="Black Forest Labs",
    exporter=_SINGLE_FILE,
    names={
        **{
            key: name
            for key, name in FLUX.names.items()
            if key.startswith(("embed.", "attention.", "cross.", "head.")) and not key.startswith("embed.text.")
        },
        **{key: name for key, name in FLUX.names.items() if "norm.query" in key or "norm.key" in key},
        "norm.cross.query": _D + "txt_attn.norm.query_norm.scale=",
        "norm.cross.key": _D + "txt_attn.norm.key_norm.scale=",
        "norm.modulation.image": "double_stream_modulation_img.lin",
        "norm.modulation.text": "double_stream_modulation_txt.lin",
        "norm.modulation.single": "single_stream_modulation.lin",
        "mlp.gate_up": _D + "img_mlp.0",
        "mlp.down": _D + "img_mlp.2",
        "text/mlp.gate_up": _D + "txt_mlp.0",
        "text/mlp.down": _D + "txt_mlp.2",
        "single/attention.qkv_mlp": _S + "linear1",
        "single/attention.output": _S + "linear2",
        "norm.modulation.out": "final_layer.adaLN_modulation.1",
    },
    signs=(("double_stream_modulation_img.lin.weight",), ("double_stream_modulation_txt.lin.weight",)),
    types=("Flux2Transformer2DModel",),
    exclusive=True,
    prefixes=_COMFY,
)
FLUX3: Final = Dialect(
    writer="Black Forest Labs",
    exporter=_SINGLE_FILE,
    names={},
    replaces={
        "x_embedders.": "emb_in.",
        "context_embedder.": "txt_in.",
        "mode_blocks.": "content_mode_blocks.",
        "single_transformer_blocks.": "single_blocks.",
        "timestep_embedder.linear_1.": "time_in.in_layer.",
        "timestep_embedder.linear_2.": "time_in.out_layer.",
        "target_timestep_embedder.linear_1.": "ref_time_in.in_layer.",
        "target_timestep_embedder.linear_2.": "ref_time_in.out_layer.",
        "proj_out.": "final_layer.image.linear.",
        "norm_out.linear.": "final_layer.image.adaLN_modulation.1.",
        "*_modulations.image.linear.": "_modulations.image.lin.",
        "*_modulations.image_cond.linear.": "_modulations.image_cond.lin.",
        "*_modulations.txt.linear.": "_modulations.txt.lin.",
        "*.attn.to_q.": ".q_proj.",
        "*.attn.to_k.": ".k_proj.",
        "*.attn.to_v.": ".v_proj.",
        "*.attn.to_out.0.": ".attn_out.",
        "*.attn.norm_q.weight": ".norm.query_norm.scale",
        "*.attn.norm_k.weight": ".norm.key_norm.scale",
        "*.ff.linear_in.": ".mlp_in.",
        "*.ff.linear_out.": ".mlp_out.",
    },
    signs=(("content_mode_blocks.image.#.q_proj.weight",),),
    types=("Flux3Transformer2DModel",),
    exclusive=True,
    prefixes=_COMFY,
)
AURAFLOW: Final = Dialect(
    writer="AuraFlow's authors",
    exporter=_SINGLE_FILE,
    names={},
    replaces={
        "time_step_proj.linear_1.": "t_embedder.mlp.0.",
        "time_step_proj.linear_2.": "t_embedder.mlp.2.",
        "context_embedder.": "cond_seq_linear.",
        "pos_embed.proj.": "init_x_linear.",
        "pos_embed.pos_embed": "positional_encoding",
        "norm_out.linear.": "modF.1.",
        "proj_out.": "final_linear.",
        "joint_transformer_blocks.": "double_layers.",
        "single_transformer_blocks.": "single_layers.",
        "single_transformer_blocks.{N}.norm1.linear.": "single_layers.{N}.modCX.1.",
        "single_transformer_blocks.{N}.ff.": "single_layers.{N}.mlp.",
        "single_transformer_blocks.{N}.attn.to_q.": "single_layers.{N}.attn.w1q.",
        "single_transformer_blocks.{N}.attn.to_k.": "single_layers.{N}.attn.w1k.",
        "single_transformer_blocks.{N}.attn.to_v.": "single_layers.{N}.attn.w1v.",
        "single_transformer_blocks.{N}.attn.to_out.0.": "single_layers.{N}.attn.w1o.",
        "*.norm1.linear.": ".modX.1.",
        "*.norm1_context.linear.": ".modC.1.",
        "*.ff.": ".mlpX.",
        "*.ff_context.": ".mlpC.",
        "*.linear_1.": ".c_fc1.",
        "*.linear_2.": ".c_fc2.",
        "*.out_projection.": ".c_proj.",
        "*.attn.to_q.": ".attn.w2q.",
        "*.attn.to_k.": ".attn.w2k.",
        "*.attn.to_v.": ".attn.w2v.",
        "*.attn.to_out.0.": ".attn.w2o.",
        "*.attn.add_q_proj.": ".attn.w1q.",
        "*.attn.add_k_proj.": ".attn.w1k.",
        "*.attn.add_v_proj.": ".attn.w1v.",
        "*.attn.to_add_out.": ".attn.w1o.",
    },
    signs=(("double_layers.#.attn.w1q.weight", "double_layers.#.attn.w2q.weight"),),
    types=("AuraFlowTransformer2DModel",),
    exclusive=True,
    prefixes=_COMFY,
)
_LUMINA_TOWERS: Final = {"": "layers.", "noise/": "noise_refiner.", "context/": "context_refiner."}
LUMINA2: Final = Dialect(
    writer="Lumina-Image's authors",
    exporter=_SINGLE_FILE,
    names={f"{tower}attention.qkv": start + "{0}.attention.qkv" for tower, start in _LUMINA_TOWERS.items()},
    replaces={
        "time_caption_embed.caption_embedder.": "cap_embedder.",
        "time_caption_embed.timestep_embedder.linear_1.": "t_embedder.mlp.0.",
        "time_caption_embed.timestep_embedder.linear_2.": "t_embedder.mlp.2.",
        "norm_out.linear_1.": "final_layer.adaLN_modulation.1.",
        "norm_out.linear_2.": "final_layer.linear.",
        "context_refiner.{M}.norm1.": "context_refiner.{M}.attention_norm1.",
        "*.norm1.linear.": ".adaLN_modulation.1.",
        "*.norm1.norm.": ".attention_norm1.",
        "*.norm2.": ".attention_norm2.",
        "*.attn.to_out.0.": ".attention.out.",
        "*.attn.norm_q.": ".attention.q_norm.",
        "*.attn.norm_k.": ".attention.k_norm.",
        "*.feed_forward.linear_": ".feed_forward.w",
    },
    beside=(part("norm_final", "norm.final", scale("d")),),
    signs=(("layers.#.attention.qkv.weight", "layers.#.adaLN_modulation.#.weight", "cap_embedder.#.weight"),),
    types=("Lumina2Transformer2DModel",),
    exclusive=True,
    prefixes=_COMFY,
)
Z_IMAGE: Final = Dialect(
    writer="ComfyUI",
    exporter=_SINGLE_FILE,
    names={
        **{f"{tower}attention.qkv": start + "{0}.attention.qkv" for tower, start in _LUMINA_TOWERS.items()},
        "image/attention.qkv": "siglip_refiner.{0}.attention.qkv",
    },
    replaces={
        "all_x_embedder.{P}-{F}.": "x_embedder.",
        "all_final_layer.{P}-{F}.": "final_layer.",
        "*.attention.to_out.0.": ".attention.out.",
        "*.attention.norm_q.": ".attention.q_norm.",
        "*.attention.norm_k.": ".attention.k_norm.",
    },
    beside=(part("norm_final", "norm.final", scale("d")),),
    dims={"patch": "4*c"},
    signs=(("layers.#.attention.qkv.weight", "x_pad_token"), ("layers.#.attention.qkv.weight", "cap_pad_token")),
    types=("ZImageTransformer2DModel",),
    exclusive=True,
    prefixes=_COMFY,
)
SANA: Final = Dialect(
    writer="Sana's authors",
    exporter=_SINGLE_FILE,
    names={"attention.qkv": "blocks.{0}.attn.qkv", "cross.kv": "blocks.{0}.cross_attn.kv_linear"},
    replaces={
        "patch_embed.proj.": "x_embedder.proj.",
        "time_embed.emb.timestep_embedder.linear_1.": "t_embedder.mlp.0.",
        "time_embed.emb.timestep_embedder.linear_2.": "t_embedder.mlp.2.",
        "time_embed.linear.": "t_block.1.",
        "caption_projection.linear_1.": "y_embedder.y_proj.fc1.",
        "caption_projection.linear_2.": "y_embedder.y_proj.fc2.",
        "caption_norm.": "attention_y_norm.",
        "scale_shift_table": "final_layer.scale_shift_table",
        "proj_out.": "final_layer.linear.",
        "transformer_blocks.": "blocks.",
        "*.attn1.to_out.0.": ".attn.proj.",
        "*.attn2.to_q.": ".cross_attn.q_linear.",
        "*.attn2.to_out.0.": ".cross_attn.proj.",
        "*.attn1.norm_q.": ".attn.q_norm.",
        "*.attn1.norm_k.": ".attn.k_norm.",
        "*.attn2.norm_q.": ".cross_attn.q_norm.",
        "*.attn2.norm_k.": ".cross_attn.k_norm.",
        "*.ff.conv_inverted.": ".mlp.inverted_conv.conv.",
        "*.ff.conv_depth.": ".mlp.depth_conv.conv.",
        "*.ff.conv_point.": ".mlp.point_conv.conv.",
    },
    beside=(
        part("pos_embed", "embed.position", param("1 sample_size**2//patch_size**2 d")),
        part("y_embedder.y_embedding", "embed.text", param("300 caption_channels")),
    ),
    signs=(
        ("blocks.#.attn.qkv.weight", "blocks.#.cross_attn.kv_linear.weight", "blocks.#.mlp.depth_conv.conv.weight"),
    ),
    types=("SanaTransformer2DModel",),
    exclusive=True,
    prefixes=_COMFY,
)
KREA2: Final = Dialect(
    writer="Krea",
    exporter=_SINGLE_FILE,
    names={"norm.modulation": stored("blocks.{0}.mod.lin=", "flat")},
    replaces={
        "img_in.": "first.",
        "time_embed.linear_1.": "tmlp.0.",
        "time_embed.linear_2.": "tmlp.2.",
        "time_mod_proj.": "tproj.1.",
        "txt_in.norm.weight": "txtmlp.0.scale",
        "txt_in.linear_1.": "txtmlp.1.",
        "txt_in.linear_2.": "txtmlp.3.",
        "text_fusion.": "txtfusion.",
        "transformer_blocks.": "blocks.",
        "final_layer.linear.": "last.linear.",
        "final_layer.norm.weight": "last.norm.scale",
        "final_layer.scale_shift_table": "last.modulation.lin",
        "*.attn.to_q.": ".attn.wq.",
        "*.attn.to_k.": ".attn.wk.",
        "*.attn.to_v.": ".attn.wv.",
        "*.attn.to_out.0.": ".attn.wo.",
        "*.attn.to_gate.": ".attn.gate.",
        "*.attn.norm_q.weight": ".attn.qknorm.qnorm.scale",
        "*.attn.norm_k.weight": ".attn.qknorm.knorm.scale",
        "*.ff.": ".mlp.",
        "*.norm1.weight": ".prenorm.scale",
        "*.norm2.weight": ".postnorm.scale",
    },
    signs=(("blocks.#.attn.qknorm.qnorm.scale", "txtfusion.refiner_blocks.#.attn.wq.weight"),),
    types=("Krea2Transformer2DModel",),
    exclusive=True,
    prefixes=_COMFY,
)
QWEN_IMAGE_21: Final = Dialect(
    writer="ComfyUI",
    exporter=_SINGLE_FILE,
    names={"mlp.gate_up": "transformer_blocks.{0}.img_mlp.gate_up"},
    replaces={"txt_in.": "txt_in."},
    signs=(("transformer_blocks.#.img_mlp.gate_up.weight",),),
    types=("QwenImage21Transformer2DModel",),
    exclusive=True,
    prefixes=_COMFY,
)
STABLE_CASCADE: Final = Dialect(
    writer="Stability AI",
    exporter=_SINGLE_FILE,
    names={
        "down/attention.qkv{}": "down_blocks.{0}.{1}.attention.attn.in_proj_*",
        "up/attention.qkv{}": "up_blocks.{0}.{1}.attention.attn.in_proj_*",
    },
    replaces={"*.attention.to_out.0.": ".attention.attn.out_proj."},
    signs=(
        ("down_blocks.#.#.attention.attn.in_proj_weight", "clip_txt_mapper.weight"),
        ("down_blocks.#.#.attention.attn.in_proj_weight", "clip_txt_mapper.bias"),
    ),
    types=("StableCascadeUNet",),
    exclusive=True,
    prefixes=_COMFY,
)
STABLE_CASCADE_B: Final = msgspec.structs.replace(
    STABLE_CASCADE,
    replaces={**STABLE_CASCADE.replaces, "clip_txt_pooled_mapper.": "clip_mapper."},
    signs=(
        ("down_blocks.#.#.attention.attn.in_proj_weight", "clip_mapper.weight"),
        ("down_blocks.#.#.attention.attn.in_proj_weight", "clip_mapper.bias"),
    ),
)
IMAGE_MODELS: Final = (
    CHROMA, FLUX2, FLUX3, AURAFLOW, Z_IMAGE, LUMINA2, SANA, KREA2, QWEN_IMAGE_21, STABLE_CASCADE, STABLE_CASCADE_B,
)  # fmt: skip
