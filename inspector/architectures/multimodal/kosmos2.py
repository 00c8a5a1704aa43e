"""Kosmos-2.

modeling_kosmos2.py: CLIP's tower; a resampler with latent queries of the text's width; the text's attention and MLP
have a norm inside; positions are sinusoids and not stored. The head is tied by default.
"""

from inspector.architectures.multimodal.clip import CLIP_VISION
from inspector.architectures.multimodal.joined_blocks import TIED_BY_EITHER
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, dense, linear, param, table

ATTENTION = rows(
    part("q_proj",   "attention.query",  dense("d -> d")),
    part("k_proj",   "attention.key",    dense("d -> d")),
    part("v_proj",   "attention.value",  dense("d -> d")),
    part("out_proj", "attention.output", dense("d -> d")))
CROSS = rows(
    part("q_proj",   "cross.query",      dense("d -> d")),
    part("k_proj",   "cross.key",        dense("d -> d")),
    part("v_proj",   "cross.value",      dense("d -> d")),
    part("out_proj", "cross.output",     dense("d -> d")))
LATENTS = under("image_to_text_projection",
    part("dense",        "bridge.in",    dense("v -> d")),
    part("latent_query", "embed.latent", param("latent_query_num d")),
    under("x_attn", CROSS), tower="bridge")
KOSMOS2 = Architecture("kosmos-2",
    ties=TIED_BY_EITHER,
    dims=Dims(d="text_config.embed_dim", V="text_config.vocab_size", L="text_config.layers", ff="text_config.ffn_dim",
              v="vision.d"),
    parts=rows(
        submodel("vision", "vision_model.model.", CLIP_VISION),
        LATENTS,
        part("text_model.model.embed_tokens", "embed.token", table("V d")),
        part("text_model.model.layer_norm",   "norm.final",  affine("d")),
        under("text_model.model.layers.{L}",
            part("self_attn_layer_norm",   "norm.attention",       affine("d")),
            under("self_attn", ATTENTION),
            part("self_attn.inner_attn_ln", "norm.attention.inner", affine("d")),
            part("ffn.fc1",                "mlp.up",               dense("d -> ff")),
            part("ffn.ffn_layernorm",      "norm.mlp.inner",       affine("ff")),
            part("ffn.fc2",                "mlp.down",             dense("ff -> d")),
            part("final_layer_norm",       "norm.mlp",             affine("d"))),
        under("text_model.model.layers.{L}",
            under("encoder_attn", CROSS),
            part("encoder_attn_layer_norm", "norm.cross", affine("d")), when="text_config.add_cross_attention")),
    heads=(
        head("ForConditionalGeneration", "",
             part("text_model.lm_head", "head.token", linear("d -> V"), tied="embed.token"), default=True),
        head("Model", "")),
    dialects=({}, {"text_model.model.": "text_model.", "vision_model.model.": "vision_model."}))
