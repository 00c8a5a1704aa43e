"""The first IDEFICS: Llama's layers with gated cross attention between them.

modeling_idefics.py: a gated block before every `cross_layer_interval`-th layer, with keys and values of the vision's
width; gates are one number or, with `alpha_type` vector, one a channel; additional tokens have a table and a head of
their own; `qk_layer_norms` reaches the cross attention only. With `use_resampler`
the resampler of perceiver.py is between.
"""

from inspector.architectures.blocks import ENDS, PRE_NORMS, SWIGLU
from inspector.architectures.vision.vision_blocks import CLIP_LAYER, VISION
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, linear, param, scale, table

IDEFICS1_VISION = Architecture("idefics_vision", dims=VISION | Dims(d="embed_dim", n="g + 1"),
                               heads=(head("tower", ""),),
    parts=rows(
        part("embeddings.class_embedding",    "embed.class",    param("d")),
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p pw", bias=False)),
        part("embeddings.position_embedding", "embed.position", table("n d")),
        maybe("embeddings.position_ids",      "embed.position.index", buffer("1 n")),
        part("pre_layrnorm",                  "norm.embed",     affine("d")),      # sic
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",                "norm.final",     affine("d"))))
RESAMPLER = under("perceiver_resampler",       # no record exercises these rows
    part("latents",    "embed.latent", param("n v")),
    part("layer_norm", "norm.final",   affine("v")),
    under("blocks.{R}",
        part("0.context_layer_norm", "norm.context",   affine("v")),
        part("0.latents_layer_norm", "norm.latent",    affine("v")),
        part("0.q_layer_norm",       "norm.query",     affine("rd"), when="perceiver_config.qk_layer_norms_perceiver"),
        part("0.k_layer_norm",       "norm.key",       affine("rd"), when="perceiver_config.qk_layer_norms_perceiver"),
        part("0.q_proj",             "cross.query",    linear("v -> rh*rd")),
        part("0.k_proj",             "cross.key",      linear("v -> rh*rd")),
        part("0.v_proj",             "cross.value",    linear("v -> rh*rd")),
        part("0.output_proj",        "cross.output",   linear("rh*rd -> v")),
        part("1.ln",                 "norm.mlp",       affine("v")),
        part("1.fc",                 "mlp.up",         linear("v -> 4*v")),
        part("1.c_proj",             "mlp.down",       linear("4*v -> v"))), when="use_resampler", tower="resampler")
IDEFICS = Architecture("idefics",
    dims=Dims(V="vocab_size", A="additional_vocab_size", d="hidden_size", L="num_hidden_layers",
              h="num_attention_heads", dh="d//h",
              ff="intermediate_size", X="L//cross_layer_interval", v="vision.d", b="false", q="qk_layer_norms",
              n="perceiver_config.resampler_n_latents", R="perceiver_config.resampler_depth",
              rh="perceiver_config.resampler_n_heads", rd="perceiver_config.resampler_head_dim"),
    parts=rows(
        ENDS,
        part("embed_tokens.additional_embedding", "embed.token.extra", table("A d"), when="A > 0"),
        submodel("vision", "vision_model.", IDEFICS1_VISION),
        RESAMPLER,
        under("layers.{L}", PRE_NORMS, under("mlp", SWIGLU),
            part("self_attn.q_proj", "attention.query",  linear("d -> h*dh")),
            part("self_attn.k_proj", "attention.key",    linear("d -> h*dh")),
            part("self_attn.v_proj", "attention.value",  linear("d -> h*dh")),
            part("self_attn.o_proj", "attention.output", linear("h*dh -> d")),
            maybe("self_attn.rotary_emb.inv_freq", "rotary.frequency", buffer("(dh+1)//2"))),
        under("gated_cross_attn_layers.{X}", PRE_NORMS, under("mlp", SWIGLU),
            part("cross_attn.q_proj", "cross.query",  linear("d -> h*dh")),
            part("cross_attn.k_proj", "cross.key",    linear("v -> h*dh")),
            part("cross_attn.v_proj", "cross.value",  linear("v -> h*dh")),
            part("cross_attn.o_proj", "cross.output", linear("h*dh -> d")),
            maybe("cross_attn.rotary_emb.inv_freq", "rotary.frequency.cross", buffer("(dh+1)//2")),
            part("cross_attn.q_layer_norm", "norm.cross.query", scale("dh"), when="q"),
            part("cross_attn.k_layer_norm", "norm.cross.key",   scale("dh"), when="q"),
            part("alpha_cross_attn", "cross.gate", param("1"),     when="alpha_type == 'float'"),
            part("alpha_dense",      "mlp.gating", param("1"),     when="alpha_type == 'float'"),
            part("alpha_cross_attn", "cross.gate", param("1 1 d"), when="alpha_type == 'vector'"),
            part("alpha_dense",      "mlp.gating", param("1 1 d"), when="alpha_type == 'vector'"))),
    heads=(
        head("ForVisionText2Text", "model.",
            part("lm_head", "head.token", linear("d -> V"), tied="embed.token"),
            part("lm_head.additional_fc", "head.token.extra", linear("d -> A"), tied="embed.token.extra", when="A > 0"),
            default=True),
        head("Model", "")))
