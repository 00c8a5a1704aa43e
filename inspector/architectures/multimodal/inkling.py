"""Inkling, its text model and its towers.

modeling_inkling.py: sliding layers have heads, widths and positions of their own; keys, values and both halves of a
layer pass a short convolution. Routed and shared experts share one router; dense MLP and router have a scale of one
number. Nothing is tied. On disk the rows of gate and up alternate in one matrix. `model.mtp.` is ignored on load:
layers with a dense MLP, as many as `mtp_config` says. configuration_inkling.py: where the release says
`dense_intermediate_size`, its `intermediate_size` is the experts'. The tower folds a patch of pixels into one vector,
step by step.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, ROUTER, STACKED, SWIGLU
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL
from inspector.notation.definition import Architecture, Dims, either, head, part, rows, submodel, under
from inspector.notation.kinds import buffer, conv, linear, param, scale, table

LAYER = rows(
    part("input_layernorm",          "norm.attention",      scale("d")),
    part("post_attention_layernorm", "norm.mlp",            scale("d")),
    part("attn_sconv.conv1d",        "attention.post.conv", conv("d -> d, w", groups="d", bias=False)),
    part("mlp_sconv.conv1d",         "mlp.post.conv",       conv("d -> d, w", groups="d", bias=False)),
    under("self_attn",
        part("q_proj",               "attention.query",           linear("d -> h*dh")),
        part("k_proj",               "attention.key",             linear("d -> kv*dh")),
        part("v_proj",               "attention.value",           linear("d -> kv*dh")),
        part("o_proj",               "attention.output",          linear("h*dh -> d")),
        part("r_proj",               "attention.relative",        linear("d -> h*d_rel")),
        part("rel_logits_proj.proj", "attention.relative.logits", param("d_rel reach")),
        part("q_norm",               "norm.query",                scale("dh")),
        part("k_norm",               "norm.key",                  scale("dh")),
        part("k_sconv.conv1d",       "attention.key.conv",   conv("kv*dh -> kv*dh, w", groups="kv*dh", bias=False)),
        part("v_sconv.conv1d",       "attention.value.conv", conv("kv*dh -> kv*dh, w", groups="kv*dh", bias=False))))
DENSE = under("mlp",
    part("global_scale", "mlp.scale", param("1")),
    either(
        SWIGLU,
        rows(
            part("w13_dn", "mlp.gate_up", linear("d -> ff*(1 + 1)", packs="gate up")),
            part("w2_md",  "mlp.down",    linear("ff -> d")))))
SPARSE = under("mlp",                          # N shared experts of the same width
    ROUTER,
    part("gate.global_scale",            "router.scale",      param("1")),
    part("gate.e_score_correction_bias", "router.correction", buffer("R")),
    either(
        rows(
            under("experts", STACKED, E="R", ff="fe"),
            under("shared_experts",
                part("gate_proj", "mlp.shared.gate", linear("d -> fe", each="N", bare=True)),
                part("up_proj",   "mlp.shared.up",   linear("d -> fe", each="N", bare=True)),
                part("down_proj", "mlp.shared.down", linear("fe -> d", each="N", bare=True)))),
        rows(
            under("experts",
                part("w13_weight", "mlp.gate_up", linear("d -> fe*(1 + 1)", each="R", bare=True, packs="gate up")),
                part("w2_weight",  "mlp.down",    linear("fe -> d", each="R", bare=True))),
            under("shared_experts",
                part("shared_w13_weight", "mlp.shared.gate_up",
                     linear("d -> fe*(1 + 1)", each="N", bare=True, packs="gate up")),
                part("shared_w2_weight",  "mlp.shared.down", linear("fe -> d", each="N", bare=True))))))
INKLING_TEXT = Architecture("inkling_text", heads=CAUSAL, ties="false",
    ignores="unpadded_vocab_size num_mtp_layers mtp_local_layer_ids chain_hidden_post_norm mtp_hidden_states_first",
    dims=DECODER | Dims(
        S="L[layer_types == 'hybrid_sliding'] when layer_types != null"
          " | L[{L} in local_layer_ids] when local_layer_ids != null | L[({L} + 1) % 6 != 0]",
        h="swa_num_attention_heads when {L} in S | num_attention_heads",
        kv="swa_num_key_value_heads when {L} in S | num_key_value_heads",
        dh="swa_head_dim when {L} in S | head_dim", reach="sliding_window_size when {L} in S | rel_extent",
        w="conv_kernel_size", R="n_routed_experts", N="n_shared_experts", E="R + N",
        ff="dense_intermediate_size | intermediate_size",
        fe="intermediate_size when dense_intermediate_size != null | moe_intermediate_size",
        M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[(dense_mlp_idx | 0):]", D="L - M"),
    parts=rows(
        ENDS,
        part("embed_tokens.embed_norm", "norm.embed", scale("d")),
        under("layers.{L}", LAYER),
        under("layers.{D}", DENSE),
        under("layers.{M}", SPARSE)))
INKLING_AUDIO = Architecture("inkling_audio", heads=(head("tower Model", ""),), dims=Dims(d="text_hidden_size"),
    parts=rows(
        part("embed_audio_tokens.embed_audio_tokens", "embed.audio", table("n_mel_bins*mel_vocab_size d")),
        part("norm",                                  "norm.final",  scale("d"))))
INKLING_VISION = Architecture("inkling_vision", heads=(head("tower Model", ""),),
    dims=Dims(d="text_hidden_size", L="n_layers | num_hidden_layers", N="L[:L-1]",
              plan="folds(temporal_patch_size, patch_size, L, num_channels)",
              o="d when {L} == L - 1 | plan[2*{L}+1]"),
    parts=rows(
        either(
            rows(
                part("layers.linear_{L}", "embed.fold", linear("plan[2*{L}] -> o")),
                part("layers.norm_{N}",   "norm.fold",   scale("plan[2*{N}+1]"))),
            rows(
                part("encoder_layers.{L}.projection", "embed.fold", linear("plan[2*{L}] -> o")),
                part("encoder_layers.{N}.layer_norm", "norm.fold",   scale("plan[2*{N}+1]")))),
        part("final_norm", "norm.final", scale("d"))))
INKLING_SAVED = {                              # transformers saves the names of the release
    "model.language_model.": "model.llm.", "model.language_model.embed_tokens.embed_norm.": "model.llm.embed_norm.",
    "model.language_model.embed_tokens.": "model.llm.embed.", "lm_head.": "model.llm.unembed.",
    "model.audio_tower.embed_audio_tokens.embed_audio_tokens.": "model.audio.encoder.",
    "model.audio_tower.norm.": "model.audio.final_norm.", "model.vision_tower.": "model.visual.",
    "audio_tower.embed_audio_tokens.embed_audio_tokens.": "audio_tower.encoder.",
    "audio_tower.norm.": "audio_tower.final_norm.",
    "*.self_attn.q_proj.": ".self_attn.wq_du.", "*.self_attn.k_proj.": ".self_attn.wk_dv.",
    "*.self_attn.v_proj.": ".self_attn.wv_dv.", "*.self_attn.o_proj.": ".self_attn.wo_ud.",
    "*.self_attn.r_proj.": ".self_attn.wr_du.", "*.self_attn.": ".attn.", "*sconv.conv1d.": "sconv.",
    "*.gate.e_score_correction_bias": ".gate.bias", "*.post_attention_layernorm.": ".mlp_norm.",
    "*.input_layernorm.": ".attn_norm."}
INKLING = Architecture("inkling_mm_model", heads=BARE_MODEL, ties="false",
    dialects=({}, INKLING_SAVED), writers=("transformers in memory", "transformers"),
    dims=Dims(
        d="text.d", V="text.V", X="text_config.num_mtp_layers | mtp_config.num_nextn_predict_layers",
        local="text_config.mtp_local_layer_ids | mtp_config.local_layer_ids",
        chained="text_config.chain_hidden_post_norm or mtp_config.chain_hidden_post_norm",
        h="text_config.swa_num_attention_heads when {X} in local | text_config.num_attention_heads",
        kv="text_config.swa_num_key_value_heads when {X} in local | text_config.num_key_value_heads",
        dh="text_config.swa_head_dim when {X} in local | text_config.head_dim",
        reach="text_config.sliding_window_size when {X} in local | text_config.rel_extent",
        d_rel="text_config.d_rel", w="text.w", ff="text.ff"),
    parts=rows(
        submodel("text",  "language_model.", INKLING_TEXT, head="Model"),
        submodel("audio", "audio_tower.", INKLING_AUDIO, text_hidden_size="text_config.hidden_size"),
        submodel("vision", "vision_tower.", INKLING_VISION, text_hidden_size="text_config.hidden_size"),
        under("mtp",
            under("layers.{X}",
                part("embed_norm",  "norm.mtp.embed",  scale("d")),
                part("hidden_norm", "norm.mtp.hidden", scale("d")),
                part("input_proj",  "mtp.join",        linear("d + d -> d")),
                under("transformer_block", LAYER, DENSE)),
            part("chain_norm", "norm.final", scale("d"), when="chained"), optional=True, extra="mtp", tower="mtp")))
