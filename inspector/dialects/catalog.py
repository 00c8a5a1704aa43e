"""The list of all dialects. Their modules are loaded only if a name in a checkpoint could belong to one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from inspector.dialects.lone_signs import MOTION_SIGN, T2I_ADAPTER, T2I_SIGNS, VAE_3D_SIGN
from inspector.dialects.unread_prefixes import UNET_SIGN, VAE_SIGN, unread_prefixes
from inspector.loader.listed_tensors import stored_of

if TYPE_CHECKING:
    from inspector.dialects.language import Dialect
    from inspector.loader.layout import Layout

SIGN_PARTS: Final = (
    ".attn.qkv.weight", ".attn.attn.weight", ".attn.kv_a_proj_with_mqa.weight", "self_attention.linear_",
    "encoder.layers.#.self_attention.query_key_value.weight", ".sa_norm.scale", "double_blocks.#.img_",
    ".block_sparse_moe.w1", ".wkv_a_with_mqa.weight", "transformer.resblocks.", "token_embd.weight",
    ".attention.wq.weight", ".attention.wk.weight", ".att_proj.weight", ".cross_attn.query.weight",
    ".mm_projector.", "distilled_guidance_layer.", "double_stream_modulation_", "content_mode_blocks.",
    ".attn.w1q.", ".attention.qkv.weight", "cross_attn.kv_linear.", "txtfusion.", ".img_mlp.gate_up.",
    "attn.in_proj_weight", ".self_attn.norm_q.", "patchify_proj.", ".attn.qkv_x.", ".img_attn_qkv.",
    ".adaln_modulation_self_attn.", ".attn.qkv_proj.", ".self_attn.linear_layers.#.", ".feed_forward.w1.weight",
    ".attention.w_q.weight", ".mlp.experts.gate_proj.weight0", ".mlp.experts.down_proj.weight0",
)  # fmt: skip
"""A part of one key of every sign of every dialect; a test verifies this list."""

LONE_COMPONENTS: Final = {
    "input_hint_block.0.weight": "controlnet",
    "input_blocks.0.0.weight": "unet",
    **dict.fromkeys((VAE_SIGN, "encoder.down.0.block.0.norm1.weight", "decoder.up.0.block.0.norm1.weight"), "vae"),
    VAE_3D_SIGN: "vae",
    "decoder.middle.0.residual.0.gamma": "vae",
    "encoder.middle.0.residual.0.gamma": "vae",
    "per_channel_statistics.std-of-means": "vae",
    **dict.fromkeys(T2I_SIGNS, T2I_ADAPTER),
    MOTION_SIGN: "motion_adapter",
}
"""Keys that identify a component of Stable Diffusion in a separate file without a prefix; the first match counts."""
TRANSFORMER_SIGNS: Final = (
    "double_blocks.0.img_mod.lin.weight",  # FLUX
    "joint_blocks.0.x_block.attn.qkv.weight",  # Stable Diffusion 3
    "distilled_guidance_layer.in_proj.weight",  # Chroma
    "double_stream_modulation_img.lin.weight",  # FLUX.2
    "content_mode_blocks.image.0.q_proj.weight",  # FLUX.3
    "double_layers.0.attn.w1q.weight",  # AuraFlow
    "layers.0.attention.qkv.weight",  # Lumina 2, Z-Image
    "txtfusion.projector.weight",  # Krea 2
    "blocks.0.self_attn.norm_q.weight",  # Wan
    "patchify_proj.weight",  # LTX-Video
    "blocks.0.attn.qkv_x.weight",  # Mochi
    "double_blocks.0.img_attn_qkv.weight",  # HunyuanVideo
    "blocks.0.attn.qkv_proj.weight",  # MiniMax H3
    "transformer_blocks.0.attn.to_q.weight",  # diffusers' own names, such as Qwen-Image
)
"""Keys that show that a component is a transformer that replaces the UNet."""
_PIPELINE_SIGNS: Final = (
    "model.diffusion_model.input_blocks.0.0.weight", "first_stage_model.encoder.conv_in.weight",
    "control_model.input_hint_block.0.weight",
    "vae.per_channel_statistics.std-of-means", "vae.decoder.middle.0.residual.0.gamma",
    "vae.encoder.middle.0.residual.0.gamma", f"vae.{VAE_SIGN}", *LONE_COMPONENTS,
)  # fmt: skip
_OF_TRANSFORMERS: Final = tuple(f"model.diffusion_model.{sign}" for sign in TRANSFORMER_SIGNS)
_OF_PIPELINE: Final = "model.diffusion_model."
_OTHER_COMPONENTS: Final = ("vae.", "text_encoders.", "first_stage_model.")


def is_single_file(tensors: Mapping[str, Layout]) -> bool:
    """True if these tensors are of several components in one file, or of one component as such a file stores it."""
    signs = stored_of((*_PIPELINE_SIGNS, *_OF_TRANSFORMERS), tensors)
    if not signs.isdisjoint(_PIPELINE_SIGNS) or unread_prefixes(tensors, TRANSFORMER_SIGNS):
        return True
    return bool(signs) and any(name.startswith(_OTHER_COMPONENTS) for name in tensors)


def is_network(tensors: Mapping[str, Layout]) -> bool:
    """True if these tensors have a network that removes noise, alone or with the prefix of a pipeline's file."""
    signs = (*TRANSFORMER_SIGNS, UNET_SIGN)
    return bool(stored_of((*signs, *(f"{_OF_PIPELINE}{sign}" for sign in signs)), tensors))


def is_lone(tensors: Mapping[str, Layout]) -> bool:
    """True if these are the tensors of only a transformer, with the prefix that it has in the file of a pipeline."""
    signs = stored_of(_OF_TRANSFORMERS, tensors)
    return bool(signs) and all(name.startswith(_OF_PIPELINE) for name in tensors)


def may_know(keys: Iterable[str]) -> bool:
    """True if any dialect could know these names. Loads no dialect."""
    return any(part in key for key in keys for part in SIGN_PARTS)


@cache
def all_dialects() -> tuple[Dialect, ...]:
    """Every dialect, in the order in which their signs are searched for."""
    from inspector.dialects.early_llama import EARLY_LLAMA
    from inspector.dialects.flux import FLUX
    from inspector.dialects.gguf import (
        ARCTIC,
        BLOOM,
        ERNIE_MOE,
        GRANITE_HYBRID,
        GROK,
        IN_ORDER,
        KIMI,
        LLAMA_CPP,
        MAMBA2,
        PLAMO,
    )
    from inspector.dialects.image_models import IMAGE_MODELS
    from inspector.dialects.ldm import LDM, LDM_3D, LDM_STAGES, LDM_UNET
    from inspector.dialects.litgpt import LITGPT, LITGPT_OLD
    from inspector.dialects.llava import LLAVA, LLAVA_NEXT, LLAVA_ONEVISION
    from inspector.dialects.megatron import MEGATRON, MEGATRON_OLD
    from inspector.dialects.meta import META
    from inspector.dialects.mistral import LATENT, MISTRAL, MIXTRAL, MIXTRAL_STACKED
    from inspector.dialects.olmo import OLMO, OLMO_CORE
    from inspector.dialects.open_clip import OPENCLIP
    from inspector.dialects.sd3 import SD3
    from inspector.dialects.t2i_adapter import TENCENT
    from inspector.dialects.tencentpretrain import TENCENTPRETRAIN
    from inspector.dialects.torchtune import TORCHTUNE
    from inspector.dialects.verl import VERL
    from inspector.dialects.video_models import VIDEO_MODELS
    from inspector.dialects.whisper import WHISPER, WHISPER_MLX

    return (
        LITGPT, LITGPT_OLD, MEGATRON, MEGATRON_OLD, VERL, TORCHTUNE, TENCENTPRETRAIN, EARLY_LLAMA, *IMAGE_MODELS,
        *VIDEO_MODELS, SD3, FLUX, MIXTRAL, MIXTRAL_STACKED, LATENT, MISTRAL, META, OLMO, OLMO_CORE, OPENCLIP, WHISPER,
        WHISPER_MLX, LLAVA_NEXT, LLAVA_ONEVISION, LLAVA, MAMBA2, GRANITE_HYBRID, BLOOM, IN_ORDER, ERNIE_MOE, KIMI,
        ARCTIC, GROK, PLAMO, LLAMA_CPP, LDM, LDM_STAGES, LDM_UNET, LDM_3D, TENCENT,
    )  # fmt: skip


def writers_of(model_types: Collection[str]) -> tuple[str, ...]:
    """The writers with names for the definition of these model types, each once."""
    from inspector.dialects.gguf import WRITER
    from inspector.dialects.gguf_architectures import ARCHITECTURES

    found = [one.writer for one in all_dialects() if not {*one.types, *one.only}.isdisjoint(model_types)]
    if any(model_type in model_types for model_type, _ in ARCHITECTURES.values()):
        found.append(WRITER)
    return tuple(dict.fromkeys(found))


def dialects_by(writer: str) -> tuple[Dialect, ...]:
    """The dialects of a writer."""
    return tuple(one for one in all_dialects() if one.writer == writer)


def dialect_of_type(model_type: str, keys: Collection[str]) -> Dialect | None:
    """The dialect of the only program with a model type, if all keys of its longest sign are stored."""
    own = (one for one in all_dialects() if model_type in one.own_types)
    return next((one for one in own if all(key in keys for key in one.signs[0])), None)


def has_own_program(model_type: str) -> bool:
    """True for a model type that only the program of a dialect has, which builds the model for PEFT, too."""
    return any(model_type in one.own_types for one in all_dialects())
