"""Inkling 2, its text model and its vision tower.

modeling_inkling2.py: sliding layers have heads, widths and positions of their own and static short convolutions of keys
and values, the other ones dynamic convolutions and a norm each for query, key and value. Each half of a layer attends
to the outputs of earlier layers with a learned query, three before full attention, none before the first layer. Nothing
is tied. On disk these queries are apart from the layers, counted from 0, and the rows of gate and up alternate.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, ROUTER, STACKED
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL
from inspector.notation.definition import Architecture, Dims, either, head, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, scale, table

ATTENTION = under("self_attn",
    part("q_proj",               "attention.query",           linear("d -> h*dh")),
    part("k_proj",               "attention.key",             linear("d -> kv*dh")),
    part("v_proj",               "attention.value",           linear("d -> kv*dh")),
    part("o_proj",               "attention.output",          linear("h*dh -> d")),
    part("r_proj",               "attention.relative",        linear("d -> h*d_rel")),
    part("rel_logits_proj.proj", "attention.relative.logits", param("d_rel reach")),
    part("rel_l2_clip.scale",    "attention.relative.scale",  param("h d_rel")),
    part("q_l2_clip.scale",      "attention.query.scale",     param("h dh")),
    part("gate_proj",            "attention.gate",            linear("d -> h*dh")),
    part("sink_proj",            "attention.sink.project",    linear("d -> h")))
QUERIES = either(
    rows(
        part("layers.{S1}.attention_input.query", "attention.depth.query",     param("d")),
        part("layers.{A1}.attention_input.query", "attention.depth.query",     param("3 d")),
        part("layers.{L}.mlp_input.query",        "attention.depth.mlp.query", param("d"))),
    rows(
        part("attn_res.attn_queries.{S0}", "attention.depth.query",     param("d")),
        part("attn_res.attn_queries.{A0}", "attention.depth.query",     param("3 d")),
        part("attn_res.mlp_queries.{L}",   "attention.depth.mlp.query", param("d"))))
TEXT_SAVED = {
    "*embed_tokens.embed_norm.": "embed_norm.", "*embed_tokens.": "embed.",
    "*final_input.query": "attn_res.output_query",
    "*.self_attn.q_proj.": ".self_attn.wq_du.", "*.self_attn.k_proj.": ".self_attn.wk_dv.",
    "*.self_attn.v_proj.": ".self_attn.wv_dv.", "*.self_attn.o_proj.": ".self_attn.wo_ud.",
    "*.self_attn.r_proj.": ".self_attn.wr_du.", "*.self_attn.gate_proj.": ".self_attn.gate_attn.",
    "*.self_attn.sink_proj.": ".self_attn.attn_sink_proj.", "*.self_attn.": ".attn.",
    "*.post_attention_convolution.": ".attn_sconv.", "*.post_mlp_convolution.": ".mlp_sconv.",
    "*sconv.conv1d.": "sconv.", "*sconv.static_weight": "sconv.static_w",
    "*sconv.weight_proj.weight": "sconv.weight_proj",
    "*.gate.e_score_correction_bias": ".gate.bias", "*.post_attention_layernorm.": ".mlp_norm.",
    "*.q_input_layernorm.": ".q_input_norm.", "*.k_input_layernorm.": ".k_input_norm.",
    "*.v_input_layernorm.": ".v_input_norm.", "*.input_layernorm.": ".attn_norm."}
INKLING2_TEXT = Architecture("inkling2_text", heads=CAUSAL, ties="false", ignores="unpadded_vocab_size",
    dialects=({}, TEXT_SAVED | {"model.": "model.llm.", "lm_head.": "model.llm.unembed."}, TEXT_SAVED),
    writers=("transformers in memory", "transformers", "transformers, below the whole"),
    dims=DECODER | Dims(
        S="L[layer_types == 'hybrid_sliding'] when layer_types != null | L[({L} + 1) % 6 != 0]", A="L - S",
        S1="L[1:] & S", A1="L[1:] & A", S0="L[({L} + 1) in S1]", A0="L[({L} + 1) in A1]",
        h="swa_num_attention_heads when {L} in S | num_attention_heads",
        kv="swa_num_key_value_heads when {L} in S | num_key_value_heads",
        dh="swa_head_dim when {L} in S | head_dim", reach="sliding_window_size when {L} in S | rel_extent",
        w="conv_kernel_size", E="n_routed_experts", fe="moe_intermediate_size"),
    parts=rows(
        ENDS,
        part("embed_tokens.embed_norm", "norm.embed", scale("d")),
        QUERIES,
        part("final_input.query", "attention.depth.final.query", param("d")),
        under("layers.{L}", ATTENTION,
            part("post_attention_layernorm",          "norm.mlp",            scale("d")),
            part("post_attention_convolution.conv1d", "attention.post.conv", conv("d -> d, w", groups="d", bias=False)),
            part("post_mlp_convolution.conv1d",       "mlp.post.conv",       conv("d -> d, w", groups="d", bias=False)),
            under("mlp",
                ROUTER,
                part("gate.e_score_correction_bias", "router.correction", buffer("E")),
                either(
                    under("experts", STACKED),
                    under("experts",
                        part("w13_weight", "mlp.gate_up",
                             linear("d -> ff*(1 + 1)", each="E", bare=True, packs="gate up")),
                        part("w2_weight",  "mlp.down", linear("ff -> d", each="E", bare=True)))), ff="fe")),
        under("layers.{S}",
            part("input_layernorm", "norm.attention", scale("d")),
            part("self_attn.k_sconv.conv1d", "attention.key.conv",
                 conv("kv*dh -> kv*dh, w", groups="kv*dh", bias=False)),
            part("self_attn.v_sconv.conv1d", "attention.value.conv",
                 conv("kv*dh -> kv*dh, w", groups="kv*dh", bias=False))),
        under("layers.{A}",
            part("q_input_layernorm", "norm.attention.query", scale("d")),
            part("k_input_layernorm", "norm.attention.key",   scale("d")),
            part("v_input_layernorm", "norm.attention.value", scale("d")),
            part("self_attn.k_sconv.static_weight", "attention.key.conv",           param("w kv*dh")),
            part("self_attn.k_sconv.weight_proj",   "attention.key.conv.project",   linear("d -> kv*w")),
            part("self_attn.v_sconv.static_weight", "attention.value.conv",         param("w kv*dh")),
            part("self_attn.v_sconv.weight_proj",   "attention.value.conv.project", linear("d -> kv*w")))))
INKLING2_VISION = Architecture("inkling2_vision", heads=(head("tower Model", ""),),
    dims=Dims(d="hidden_size", L="num_hidden_layers", ff="intermediate_size | floor(d*mlp_ratio)", c="num_channels",
              p="patch_size", g="posemb_grid_size**2", s="spatial_merge_size", b="projector_bias"),
    parts=rows(
        under("embeddings",
            part("patch_embedding",        "embed.patch",          linear("c*p*p -> d")),
            part("position_embedding",     "embed.position",       table("g d")),
            part("class_embedding",        "embed.class",          param("d")),
            part("cls_position_embedding", "embed.position.class", param("d"))),
        part("pre_layernorm", "norm.embed", affine("d")),
        under("layers.{L}",
            part("layernorm_before",   "norm.attention",   affine("d")),
            part("layernorm_after",    "norm.mlp",         affine("d")),
            part("lambda_1",           "attention.scale",  param("d")),
            part("lambda_2",           "mlp.scale",        param("d")),
            part("self_attn.q_proj",   "attention.query",  dense("d -> d")),
            part("self_attn.k_proj",   "attention.key",    dense("d -> d")),
            part("self_attn.v_proj",   "attention.value",  dense("d -> d")),
            part("self_attn.out_proj", "attention.output", dense("d -> d")),
            part("mlp.fc1",            "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",            "mlp.down",         dense("ff -> d"))),
        part("merger.linear_1", "merger.up",   linear("s*s*d -> projection_hidden_dim", bias="b")),
        part("merger.linear_2", "merger.down", linear("projection_hidden_dim -> text_hidden_size", bias="b"))))
INKLING2_SAVED = {
    "model.language_model.": "model.llm.", "lm_head.": "model.llm.unembed.",
    "model.vision_tower.": "model.visual.backbone.",
    "model.vision_tower.pre_layernorm.": "model.visual.backbone.ln_pre.",
    "model.vision_tower.embeddings.position_embedding.weight": "model.visual.backbone.embeddings.position_embedding",
    "vision_tower.embeddings.position_embedding.weight": "vision_tower.embeddings.position_embedding",
    "model.vision_tower.merger.linear_1.": "model.visual.proj_in.",
    "model.vision_tower.merger.linear_2.": "model.visual.proj_out.",
    "*.layernorm_before.": ".ln_1.", "*.layernorm_after.": ".ln_2.", "*.mlp.fc1.": ".mlp.c_fc.",
    "*.mlp.fc2.": ".mlp.c_proj.", "*.lambda_1": ".ls_1.gamma", "*.lambda_2": ".ls_2.gamma"}
INKLING2 = Architecture("inkling2", heads=BARE_MODEL, ties="false", dims=Dims(d="text.d", V="text.V"),
    dialects=({}, INKLING2_SAVED), writers=("transformers in memory", "transformers"),
    parts=rows(
        submodel("text",   "language_model.", INKLING2_TEXT, head="Model"),
        submodel("vision", "vision_tower.", INKLING2_VISION)))
