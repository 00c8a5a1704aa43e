"""Video models in their authors' layouts, which ComfyUI keeps: Wan, LTX-Video, Mochi, HunyuanVideo, Cosmos, MiniMax H3.

Source: diffusers' `loaders/single_file_utils.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from inspector.dialects.language import Dialect

_COMFY: Final = ("", "model.diffusion_model.", "model.", "diffusion_model.")
_SINGLE_FILE: Final = "from_single_file of its class in diffusers"

WAN: Final = Dialect(
    writer="Wan's authors",
    exporter=_SINGLE_FILE,
    names={},
    replaces={
        "condition_embedder.time_embedder.linear_1.": "time_embedding.0.",
        "condition_embedder.time_embedder.linear_2.": "time_embedding.2.",
        "condition_embedder.text_embedder.linear_1.": "text_embedding.0.",
        "condition_embedder.text_embedder.linear_2.": "text_embedding.2.",
        "condition_embedder.time_proj.": "time_projection.1.",
        "condition_embedder.image_embedder.norm1.": "img_emb.proj.0.",
        "condition_embedder.image_embedder.ff.net.0.proj.": "img_emb.proj.1.",
        "condition_embedder.image_embedder.ff.net.2.": "img_emb.proj.3.",
        "condition_embedder.image_embedder.norm2.": "img_emb.proj.4.",
        "condition_embedder.image_embedder.pos_embed": "img_emb.emb_pos",
        "scale_shift_table": "head.modulation",
        "proj_out.": "head.head.",
        "*.scale_shift_table": ".modulation",
        "*.norm2.": ".norm3.",
        "*.attn1.": ".self_attn.",
        "*.attn2.": ".cross_attn.",
        "*_attn.to_q.": "_attn.q.",
        "*_attn.to_k.": "_attn.k.",
        "*_attn.to_v.": "_attn.v.",
        "*_attn.to_out.0.": "_attn.o.",
        "*.add_k_proj.": ".k_img.",
        "*.add_v_proj.": ".v_img.",
        "*.norm_added_k.": ".norm_k_img.",
        "*.ffn.net.0.proj.": ".ffn.0.",
        "*.ffn.net.2.": ".ffn.2.",
    },
    signs=(
        ("blocks.#.self_attn.norm_q.weight", "head.modulation"),
        ("blocks.#.self_attn.norm_q.weight", "head.head.weight"),
    ),
    types=("WanTransformer3DModel",),
    own_types=("t2v", "i2v", "flf2v", "ti2v", "vace"),
    exclusive=True,
    needs={"y != null": "x != null", "x != null": "y != null"},  # model.py: both in i2v and flf2v models, else neither
    prefixes=_COMFY,
)
WAN_VACE: Final = msgspec.structs.replace(
    WAN,
    replaces={
        **WAN.replaces,
        "vace_blocks.{V}.proj_out.": "vace_blocks.{V}.after_proj.",
        "vace_blocks.0.proj_in.": "vace_blocks.0.before_proj.",
    },
    signs=(("vace_blocks.#.self_attn.norm_q.weight",),),
    types=("WanVACETransformer3DModel",),
    exclusive=True,
)
LTX: Final = Dialect(
    writer="Lightricks",
    exporter=_SINGLE_FILE,
    names={},
    replaces={
        "proj_in.": "patchify_proj.",
        "time_embed.": "adaln_single.",
        "*.norm_q.": ".q_norm.",
        "*.norm_k.": ".k_norm.",
    },
    signs=(("patchify_proj.weight",), ("patchify_proj.bias", "transformer_blocks.#.attn1.q_norm.weight")),
    types=("LTXVideoTransformer3DModel",),
    exclusive=True,
    prefixes=_COMFY,
)
LTX2: Final = msgspec.structs.replace(
    LTX,
    replaces={
        **LTX.replaces,
        "audio_proj_in.": "audio_patchify_proj.",
        "audio_time_embed.": "audio_adaln_single.",
        "prompt_adaln.": "prompt_adaln_single.",
        "audio_prompt_adaln.": "audio_prompt_adaln_single.",
        "av_cross_attn_video_scale_shift.": "av_ca_video_scale_shift_adaln_single.",
        "av_cross_attn_audio_scale_shift.": "av_ca_audio_scale_shift_adaln_single.",
        "av_cross_attn_video_a2v_gate.": "av_ca_a2v_gate_adaln_single.",
        "av_cross_attn_audio_v2a_gate.": "av_ca_v2a_gate_adaln_single.",
        "*.video_a2v_cross_attn_scale_shift_table": ".scale_shift_table_a2v_ca_video",
        "*.audio_a2v_cross_attn_scale_shift_table": ".scale_shift_table_a2v_ca_audio",
    },
    signs=(("audio_patchify_proj.weight",), ("audio_patchify_proj.bias",)),
    types=("LTX2VideoTransformer3DModel",),
    exclusive=True,
)
MOCHI: Final = Dialect(
    writer="Genmo",
    exporter=_SINGLE_FILE,
    names={"attention.qkv": "blocks.{0}.attn.qkv_x", "cross.qkv": "blocks.{0}.attn.qkv_y"},
    replaces={
        "patch_embed.proj.": "x_embedder.proj.",
        "time_embed.timestep_embedder.linear_1.": "t_embedder.mlp.0.",
        "time_embed.timestep_embedder.linear_2.": "t_embedder.mlp.2.",
        "time_embed.pooler.": "t5_y_embedder.",
        "time_embed.caption_proj.": "t5_yproj.",
        "norm_out.linear.": "final_layer.mod.",
        "proj_out.": "final_layer.linear.",
        "transformer_blocks.": "blocks.",
        "*.norm1.linear.": ".mod_x.",
        "*.norm1_context.linear.": ".mod_y.",
        "*.norm1_context.linear_1.": ".mod_y.",
        "*.attn1.norm_q.": ".attn.q_norm_x.",
        "*.attn1.norm_k.": ".attn.k_norm_x.",
        "*.attn1.norm_added_q.": ".attn.q_norm_y.",
        "*.attn1.norm_added_k.": ".attn.k_norm_y.",
        "*.attn1.to_out.0.": ".attn.proj_x.",
        "*.attn1.to_add_out.": ".attn.proj_y.",
        "*.ff.net.0.proj.": ".mlp_x.w1.",
        "*.ff.net.2.": ".mlp_x.w2.",
        "*.ff_context.net.0.proj.": ".mlp_y.w1.",
        "*.ff_context.net.2.": ".mlp_y.w2.",
    },
    signs=(("blocks.#.attn.qkv_x.weight", "blocks.#.attn.qkv_y.weight"),),
    types=("MochiTransformer3DModel",),
    exclusive=True,
    prefixes=_COMFY,
)
_POOLED: Final = ("vector_in.in_layer.weight", "vector_in.out_layer.weight")
"""Layers for CLIP's pooled text, which HunyuanImage and HunyuanVideo 1.5 do not have under names that are the same."""
HUNYUAN_VIDEO: Final = Dialect(
    writer="Tencent",
    exporter=_SINGLE_FILE,
    names={
        "attention.qkv": "double_blocks.{0}.img_attn_qkv",
        "cross.qkv": "double_blocks.{0}.txt_attn_qkv",
        "single/attention.qkv_mlp": "single_blocks.{0}.linear1",
        "refiner/attention.qkv": "txt_in.individual_token_refiner.blocks.{0}.self_attn_qkv",
    },
    replaces={
        "x_embedder.": "img_in.",
        "context_embedder.": "txt_in.",
        "context_embedder.proj_in.": "txt_in.input_embedder.",
        "context_embedder.token_refiner.refiner_blocks.": "txt_in.individual_token_refiner.blocks.",
        "context_embedder.time_text_embed.timestep_embedder.linear_1.": "txt_in.t_embedder.mlp.0.",
        "context_embedder.time_text_embed.timestep_embedder.linear_2.": "txt_in.t_embedder.mlp.2.",
        "context_embedder.time_text_embed.text_embedder.": "txt_in.c_embedder.",
        "time_text_embed.timestep_embedder.linear_1.": "time_in.mlp.0.",
        "time_text_embed.timestep_embedder.linear_2.": "time_in.mlp.2.",
        "time_text_embed.guidance_embedder.linear_1.": "guidance_in.mlp.0.",
        "time_text_embed.guidance_embedder.linear_2.": "guidance_in.mlp.2.",
        "time_text_embed.text_embedder.linear_1.": "vector_in.in_layer.",
        "time_text_embed.text_embedder.linear_2.": "vector_in.out_layer.",
        "norm_out.linear.": "final_layer.adaLN_modulation.1.",
        "proj_out.": "final_layer.linear.",
        "transformer_blocks.": "double_blocks.",
        "single_transformer_blocks.": "single_blocks.",
        "single_transformer_blocks.{N}.norm.linear.": "single_blocks.{N}.modulation.linear.",
        "single_transformer_blocks.{N}.proj_out.": "single_blocks.{N}.linear2.",
        "single_transformer_blocks.{N}.attn.norm_q.": "single_blocks.{N}.q_norm.",
        "single_transformer_blocks.{N}.attn.norm_k.": "single_blocks.{N}.k_norm.",
        "context_embedder.token_refiner.refiner_blocks.{M}.attn.to_out.0.":
            "txt_in.individual_token_refiner.blocks.{M}.self_attn_proj.",
        "context_embedder.token_refiner.refiner_blocks.{M}.ff.net.0.proj.":
            "txt_in.individual_token_refiner.blocks.{M}.mlp.fc1.",
        "context_embedder.token_refiner.refiner_blocks.{M}.ff.net.2.":
            "txt_in.individual_token_refiner.blocks.{M}.mlp.fc2.",
        "context_embedder.token_refiner.refiner_blocks.{M}.norm_out.linear.":
            "txt_in.individual_token_refiner.blocks.{M}.adaLN_modulation.1.",
        "*.norm1.linear.": ".img_mod.linear.",
        "*.norm1_context.linear.": ".txt_mod.linear.",
        "*.attn.norm_q.": ".img_attn_q_norm.",
        "*.attn.norm_k.": ".img_attn_k_norm.",
        "*.attn.norm_added_q.": ".txt_attn_q_norm.",
        "*.attn.norm_added_k.": ".txt_attn_k_norm.",
        "*.attn.to_out.0.": ".img_attn_proj.",
        "*.attn.to_add_out.": ".txt_attn_proj.",
        "*.ff.net.0.proj.": ".img_mlp.fc1.",
        "*.ff.net.2.": ".img_mlp.fc2.",
        "*.ff_context.net.0.proj.": ".txt_mlp.fc1.",
        "*.ff_context.net.2.": ".txt_mlp.fc2.",
    },
    signs=tuple(("double_blocks.#.img_attn_qkv.weight", "single_blocks.#.linear1.weight", one) for one in _POOLED),
    types=("HunyuanVideoTransformer3DModel",),
    exclusive=True,
    prefixes=_COMFY,
)  # fmt: skip
_LIKE_FLUX: Final = {
    "attn_qkv": "attn.qkv",
    "attn_proj": "attn.proj",
    "mod.linear.": "mod.lin.",
    "modulation.linear.": "modulation.lin.",
    "mlp.fc1.": "mlp.0.",
    "mlp.fc2.": "mlp.2.",
    "_in.mlp.0.": "_in.in_layer.",
    "_in.mlp.2.": "_in.out_layer.",
    "t_embedder.mlp.0.": "t_embedder.in_layer.",
    "t_embedder.mlp.2.": "t_embedder.out_layer.",
    "attn_q_norm.": "attn.norm.query_norm.",
    "attn_k_norm.": "attn.norm.key_norm.",
    ".q_norm.": ".norm.query_norm.",
    ".k_norm.": ".norm.key_norm.",
}
"""Parts of Tencent's names -> ComfyUI's, which are those of FLUX (`comfy/supported_models.py`, `HunyuanVideo`)."""


def _like_flux(name: str) -> str:
    for part, new in _LIKE_FLUX.items():
        name = name.replace(part, new)
    return name


def _norms_as_scales(replaces: Mapping[str, str]) -> dict[str, str]:
    """Names of norms with `scale` for `weight`."""
    ends = (".query_norm.", ".key_norm.")
    scales = {f"{old}weight": f"{new}scale" for old, new in replaces.items() if new.endswith(ends)}
    return {**{old: new for old, new in replaces.items() if not new.endswith(ends)}, **scales}


HUNYUAN_VIDEO_COMFY: Final = msgspec.structs.replace(
    HUNYUAN_VIDEO,
    writer="ComfyUI",
    exporter="",
    names={role: _like_flux(str(path)) for role, path in HUNYUAN_VIDEO.names.items()},
    replaces=_norms_as_scales(
        {old: _like_flux(new) for old, new in HUNYUAN_VIDEO.replaces.items()}
        | {
            "context_embedder.time_text_embed.text_embedder.linear_1.": "txt_in.c_embedder.in_layer.",
            "context_embedder.time_text_embed.text_embedder.linear_2.": "txt_in.c_embedder.out_layer.",
        }
    ),
    signs=tuple(
        ("double_blocks.#.img_attn.qkv.weight", "txt_in.individual_token_refiner.blocks.#.self_attn.qkv.weight", one)
        for one in _POOLED
    ),
)
COSMOS2: Final = Dialect(
    writer="NVIDIA",
    exporter=_SINGLE_FILE,
    names={},
    replaces={
        "time_embed.t_embedder.": "t_embedder.1.",
        "time_embed.norm.": "t_embedding_norm.",
        "patch_embed.proj.": "x_embedder.proj.1.",
        "norm_out.linear_1.": "final_layer.adaln_modulation.1.",
        "norm_out.linear_2.": "final_layer.adaln_modulation.2.",
        "proj_out.": "final_layer.linear.",
        "transformer_blocks.": "blocks.",
        "*.norm1.linear_": ".adaln_modulation_self_attn.",
        "*.norm2.linear_": ".adaln_modulation_cross_attn.",
        "*.norm3.linear_": ".adaln_modulation_mlp.",
        "*.attn1.": ".self_attn.",
        "*.attn2.": ".cross_attn.",
        "*.to_q.": ".q_proj.",
        "*.to_k.": ".k_proj.",
        "*.to_v.": ".v_proj.",
        "*.to_out.0.": ".output_proj.",
        "*.norm_q.": ".q_norm.",
        "*.norm_k.": ".k_norm.",
        "*.ff.net.0.proj.": ".mlp.layer1.",
        "*.ff.net.2.": ".mlp.layer2.",
    },
    signs=(("blocks.#.adaln_modulation_self_attn.#.weight", "final_layer.adaln_modulation.#.weight"),),
    types=("CosmosTransformer3DModel",),
    exclusive=True,
    prefixes=("net.", *_COMFY),
)
MINIMAX_H3: Final = Dialect(
    writer="MiniMax",
    exporter=_SINGLE_FILE,
    names={
        "attention.qkv": "blocks.{0}.attn.qkv_proj",
        "refiner/attention.qkv": "token_refiner.blocks.{0}.attn.qkv_proj",
    },
    replaces={
        "token_refiner.refiner_blocks.": "token_refiner.blocks.",
        "time_embedder.linear_1.": "time_embedder.proj_in.",
        "time_embedder.linear_2.": "time_embedder.proj_out.",
        "proj_in.": "video_patch_proj.",
        "audio_proj_in.": "audio_patch_proj.",
        "context_embedder.": "condition_proj.",
        "norm_out.norm.": "final_layer.norm.",
        "norm_out.linear.": "final_layer.adaln_proj.linear.",
        "proj_out.": "final_layer.video_out.",
        "audio_proj_out.": "final_layer.audio_out.",
        "transformer_blocks.": "blocks.",
        "*.attn.norm_q.": ".attn.q_norm.",
        "*.attn.norm_k.": ".attn.k_norm.",
        "*.attn.to_out.0.": ".attn.out_proj.",
        "*.ff.net.0.proj.": ".mlp.fc1.",
        "*.ff.net.2.": ".mlp.fc2.",
    },
    signs=(
        ("blocks.#.attn.qkv_proj.weight", "video_patch_proj.weight"),
        ("blocks.#.attn.qkv_proj.weight", "condition_proj.weight"),
    ),
    types=("MiniMaxH3Transformer3DModel",),
    exclusive=True,
    prefixes=_COMFY,
)
VIDEO_MODELS: Final = (WAN_VACE, WAN, LTX2, LTX, MOCHI, HUNYUAN_VIDEO, HUNYUAN_VIDEO_COMFY, COSMOS2, MINIMAX_H3)
