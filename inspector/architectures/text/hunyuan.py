"""Hunyuan V1: dense, and a mixture of experts in every layer; HY V3; Hunyuan with vision.

modeling_hunyuan_v1_dense.py, modeling_hunyuan_v1_moe.py: queries and keys are normed per head by `query_layernorm` and
`key_layernorm`; `attention_bias` reaches o too; the router is `mlp.gate.wg`; shared MLP and experts are equally wide.
modeling_hy_v3.py: without `mlp_layer_types` only the first layer is dense; `mlp_bias` does not reach routed experts.
modeling_hunyuan_vl.py: positions for the largest image and one more; the merger ends in the text's width, and four
vectors mark an image. Older files say the text's keys at the top.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    ENDS,
    EXPERTS,
    GQA,
    PRE_NORMS,
    QK_NORM,
    SHARED,
    SWIGLU,
)
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, EITHER_PLACE, TIED_IF_ONE_SAYS
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, scale, table

ATTENTION = under("self_attn", GQA,
    part("query_layernorm", "norm.query", scale("dh")),
    part("key_layernorm",   "norm.key",   scale("dh")), b="attention_bias", bo="attention_bias")
HUNYUAN_V1_DENSE = Architecture("hunyuan_v1_dense hunyuan_vl_text", dims=DECODER, heads=CAUSAL,
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, ATTENTION, under("mlp", SWIGLU))))
HUNYUAN_V1_MOE = Architecture("hunyuan_v1_moe", dims=DECODER | Dims(E="num_experts"), heads=CAUSAL,
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, ATTENTION,
            under("mlp",
                part("gate.wg", "router", linear("d -> E")),
                under("shared_mlp", SHARED),
                EXPERTS))))
HY_V3_STATE_DICT = {  # names in memory under transformers 5
    "*.mlp.router.gate": ".mlp.gate",
    "*.mlp.expert_bias": ".mlp.e_score_correction_bias",
    "*.mlp.shared_mlp.": ".mlp.shared_experts.",
}
HY_V3 = Architecture("hy_v3", dialects=({}, HY_V3_STATE_DICT), heads=CAUSAL,
    dims=DECODER | Dims(E="num_experts", fe="moe_intermediate_size", S="num_shared_experts",
              M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[1:]", D="L - M"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias")),
        under("layers.{D}.mlp", SWIGLU, b="mlp_bias"),
        under("layers.{M}.mlp",
            part("router.gate", "router",            linear("d -> E")),
            part("expert_bias", "router.correction", buffer("E")),
            under("shared_mlp", SHARED, ff="fe*S", b="mlp_bias"),
            rows(EXPERTS, ff="fe"))))
HUNYUAN_VL_VISION = Architecture("hunyuan_vl_vision", heads=(head("tower VisionTransformer", ""),),
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", dh="head_dim | d//h",
              ff="intermediate_size",
              c="num_channels", p="patch_size", g="(max_image_size//p)**2 + 1", s="spatial_merge_size",
              o="text_hidden_size"),
    parts=rows(
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p p")),
        part("embeddings.position_embedding", "embed.position", table("g d")),
        under("layers.{L}",
            part("layer_norm1",      "norm.attention",   affine("d")),
            part("layer_norm2",      "norm.mlp",         affine("d")),
            part("self_attn.q_proj", "attention.query",  dense("d -> h*dh")),
            part("self_attn.k_proj", "attention.key",    dense("d -> h*dh")),
            part("self_attn.v_proj", "attention.value",  dense("d -> h*dh")),
            part("self_attn.o_proj", "attention.output", dense("h*dh -> d")),
            part("mlp.fc1",          "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",          "mlp.down",         dense("ff -> d"))),
        under("patch_merger",
            part("before_rms",    "norm.merger",         scale("d")),
            part("proj_conv",     "merger.up",           conv("d -> 2*d, s s")),
            part("proj_out",      "merger.middle",       conv("2*d -> 4*d, 1 1")),
            part("mlp",           "merger.down",         dense("4*d -> o")),
            part("after_rms",     "norm.bridge",         scale("o")),
            part("image_newline", "embed.newline",       param("4*d")),
            part("image_begin",   "embed.image.begin",   param("o")),
            part("image_end",     "embed.image.end",     param("o")),
            part("image_sep",     "embed.image.between", param("o")))))
HUNYUAN_VL_NAMES = {
    "model.language_model.": "model.", "model.vision_tower.": "vit.",
    "*.patch_merger.": ".perceive.", "*.perceive.proj_conv.": ".perceive.proj.0.",
    "*.perceive.proj_out.": ".perceive.proj.2.",
    "*.layer_norm1.": ".input_layernorm.", "*.layer_norm2.": ".post_attention_layernorm.",
    "*.mlp.fc1.": ".mlp.dense_h_to_4h.", "*.mlp.fc2.": ".mlp.dense_4h_to_h."}
# not of the bare model
ON_DISK_ALONE = ("model.language_model.", "model.vision_tower.", "*.layer_norm1.", "*.layer_norm2.")
HUNYUAN_VL = Architecture("hunyuan_vl", heads=BARE_MODEL, ignores="org_vocab_size pad_id",
    ties="tie_word_embeddings when not stated.text_config | " + TIED_IF_ONE_SAYS,
    dims=EITHER_PLACE | Dims(
        dh="(head_dim | attention_head_dim) when flat | text_config.head_dim | text_config.attention_head_dim | d/h",
        qb="attention_bias when flat | text_config.attention_bias"),
    parts=rows(
        under("language_model", HUNYUAN_V1_DENSE.parts, tower="text", attention_bias="qb"),
        submodel("vision", "vision_tower.", HUNYUAN_VL_VISION, text_hidden_size="d")),
    dialects=({}, HUNYUAN_VL_NAMES,
              {name: other for name, other in HUNYUAN_VL_NAMES.items() if name not in ON_DISK_ALONE}))
