"""Muse Spark: text with a mixture of experts of a width of their own, vision and audio; Muse Glimmer: dense, no audio.

modeling_muse_spark.py: experts read and write `moe_hidden_size`, with a projection and a norm in front of all of them
and behind; each half of a layer has a gate for its residual, and attention a gate for its output. Norms after attention
and of queries and keys have no weight. The audio encoder joins `patch_sizes` frames before each of its stages. The
vision adapter reads `out_hidden_size`. modeling_muse_glimmer.py: the same tower and adapter; four norms with weights in
each layer of the text, and no gates of residuals.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, ROUTER, SANDWICH, STACKED, SWIGLU
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, LANGUAGE_FIRST, TIED_AT_THE_TOP, TIES
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, scale, table

MUSE_SPARK_TEXT = Architecture("muse_spark_text", heads=CAUSAL, ignores="layer_rope_theta",
    dims=DECODER | Dims(
        E="num_local_experts", de="moe_hidden_size", fe="moe_intermediate_size",
        D="L[mlp_layer_types == 'dense'] when mlp_layer_types != null | L[:0]", M="L - D"),
    parts=rows(
        ENDS,
        under("layers.{L}",
            part("input_layernorm",                     "norm.attention", scale("d")),
            part("pre_feedforward_layernorm",           "norm.mlp",       scale("d")),
            part("post_feedforward_layernorm",          "norm.mlp.post",  scale("d")),
            part("post_attention_residual_gate.gate",   "scale.attention.residual", param("d")),
            part("post_feedforward_residual_gate.gate", "scale.mlp.residual",       param("d")),
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            part("self_attn.gate_proj", "attention.gate", linear("d -> h*dh"))),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            ROUTER,
            part("gate.e_score_correction_bias", "router.correction",     buffer("E")),
            part("pre_expert_proj",              "expert.down",           linear("d -> de")),
            part("pre_expert_norm",              "norm.mlp.experts",      scale("de")),
            part("experts.post_expert_norm",     "norm.mlp.experts.post", scale("de")),
            part("post_expert_proj",             "expert.up",             linear("de -> d")),
            under("experts", STACKED, d="de", ff="fe"))))
MUSE_SPARK_VISION = Architecture("muse_spark_vision muse_glimmer_vision", heads=(head("tower Model", ""),),
    dims=Dims(d="hidden_size", L="num_hidden_layers", ff="intermediate_size", p="patch_size", t="patch_temporal",
              g="pos_emb_height*pos_emb_width"),
    parts=rows(
        part("patch_embedder.patch_embedding",          "embed.patch",    linear("3*t*p*p -> d")),
        part("patch_embedder.position_embedding_table", "embed.position", table("g d")),
        part("ln_pre",  "norm.embed", affine("d")),
        part("ln_post", "norm.final", affine("d")),
        under("layers.{L}",
            part("norm1",       "norm.attention",   affine("d")),
            part("norm2",       "norm.mlp",         affine("d")),
            part("attn.q_proj", "attention.query",  dense("d -> d")),
            part("attn.k_proj", "attention.key",    dense("d -> d")),
            part("attn.v_proj", "attention.value",  dense("d -> d")),
            part("attn.proj",   "attention.output", dense("d -> d")),
            part("mlp.fc1",     "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",     "mlp.down",         dense("ff -> d")))))
MUSE_SPARK_AUDIO = Architecture("muse_spark_audio", heads=(head("tower Model", ""),),
    dims=Dims(S="num_hidden_layers", B="depths[{S}]", w="hidden_sizes[{S}]", v="hidden_sizes[{S}-1] | 1",
              p="patch_sizes[{S}]", k="conv_kernel_size", last="hidden_sizes[S-1]", o="out_hidden_size", d="o",
              ff="floor(w*mlp_ratio)"),
    parts=rows(
        under("layers.{S}",
            part("patch_embedder.proj", "embed.patch", dense("v*p -> w")),
            part("patch_embedder.norm", "norm.embed",  scale("w")),
            under("conv_blocks.{B}",
                part("norm",    "norm.resnet", scale("w")),
                part("conv",    "resnet.conv", conv("w -> w, k", groups="w")),
                part("mlp.fc1", "mlp.up",      dense("w -> ff")),
                part("mlp.fc2", "mlp.down",    dense("ff -> w")))),
        part("norm",           "norm.final",   scale("last")),
        part("proj",           "head.project", dense("last -> o")),
        part("post_proj_norm", "norm.project", scale("o"))))
TEXT_AND_VISION = rows(
    submodel("text",   "language_model.", head="Model"),
    submodel("vision", "vision_tower.", MUSE_SPARK_VISION),
    part("vision_adapter.fc1", "bridge.in",    linear("o -> p")),
    part("vision_adapter.fc2", "bridge.inner", linear("p -> p")),
    part("vision_projection",  "bridge.out",   linear("p -> d")))
JOINED_DIMS = Dims(d="text.d", V="text.V", o="out_hidden_size", p="projector_hidden_size")
MUSE_SPARK = Architecture("muse_spark", heads=BARE_MODEL, ties=TIES, dims=JOINED_DIMS,
    parts=rows(TEXT_AND_VISION, submodel("audio", "audio_tower.", MUSE_SPARK_AUDIO)))
MUSE_GLIMMER_TEXT = Architecture("muse_glimmer_text", heads=CAUSAL, ignores="layer_rope_theta", dims=DECODER,
    parts=rows(
        ENDS,
        under("layers.{L}", SANDWICH,
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            part("self_attn.gate_proj", "attention.gate", linear("d -> h*dh")),
            under("mlp", SWIGLU))))
MUSE_GLIMMER = Architecture("muse_glimmer", heads=BARE_MODEL, ties=TIED_AT_THE_TOP, dims=JOINED_DIMS,
                            dialects=({}, LANGUAGE_FIRST), parts=TEXT_AND_VISION)
