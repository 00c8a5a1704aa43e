"""IDEFICS 2 and 3, SmolVLM and their towers.

modeling_idefics2.py: the tower is SigLIP's without a head; a gated projection to the text's width, then a resampler
whose MLP is four times as wide; it has the text's width whatever its config says. modeling_idefics3.py: pixels are
shuffled by `scale_factor` and projected by one matrix.
"""

from inspector.architectures.blocks import LM_HEAD, SWIGLU
from inspector.architectures.multimodal.joined_blocks import TIES
from inspector.architectures.vision.vision_blocks import CLIP_LAYER, VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, linear, param, scale, table

IDEFICS_VISION = Architecture("idefics3_vision idefics2_vision smolvlm_vision", dims=VISION,
    heads=(head("tower Model Transformer", ""),),
    parts=rows(
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p pw")),
        part("embeddings.position_embedding", "embed.position", table("g d")),
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",                "norm.final",     affine("d"))))
TEXT = Dims(d="text.d", V="text.V", v="vision.d", s="scale_factor")
HEADS = (
    head("ForConditionalGeneration", "model.", LM_HEAD, default=True),
    head("Model", ""),
    head("Model", "model."))
SIDES = rows(
    submodel("vision", "vision_model.", IDEFICS_VISION),
    submodel("text",   "text_model.", head="Model"))
MLX_NAMES = {                                  # mlx-vlm's
    "model.text_model.": "language_model.", "lm_head": "language_model.lm_head", "model.": ""}
IDEFICS2 = Architecture("idefics2", ties=TIES, heads=HEADS, dialects=({}, MLX_NAMES),
    dims=TEXT | Dims(ff="text.ff", e="d", R="perceiver_config.resampler_depth",
                     h="perceiver_config.resampler_n_heads", dh="perceiver_config.resampler_head_dim",
                     kv="perceiver_config.num_key_value_heads", n="perceiver_config.resampler_n_latents"),
    parts=rows(
        SIDES,
        under("connector.modality_projection",
            part("gate_proj", "bridge.gate", linear("v -> ff")),
            part("up_proj",   "bridge.up",   linear("v -> ff")),
            part("down_proj", "bridge.down", linear("ff -> d"))),
        under("connector.perceiver_resampler",
            part("latents", "embed.latent", param("n e")),
            part("norm",    "norm.final",   scale("e")),
            under("layers.{R}",
                part("input_latents_norm",       "norm.attention", scale("e")),
                part("input_context_norm",       "norm.context",   scale("e")),
                part("post_attention_layernorm", "norm.mlp",       scale("e")),
                part("self_attn.q_proj",         "cross.query",    linear("e -> h*dh")),
                part("self_attn.k_proj",         "cross.key",      linear("e -> kv*dh")),
                part("self_attn.v_proj",         "cross.value",    linear("e -> kv*dh")),
                part("self_attn.o_proj",         "cross.output",   linear("h*dh -> e")),
                under("mlp", SWIGLU, d="e", ff="4*e")), tower="resampler")))
IDEFICS3 = Architecture("idefics3 smolvlm", ties=TIES, heads=HEADS, dims=TEXT, dialects=({}, MLX_NAMES),
    parts=rows(
        SIDES,
        part("connector.modality_projection.proj", "bridge.out", linear("v*s**2 -> d"))))
