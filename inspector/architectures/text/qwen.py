"""Qwen2, Qwen3, their mixtures of experts, Qwen3-Next and Qwen3.5 (text); Mellum, which has Qwen3-MoE's layers, and
Flint, Laguna, Kolibri and Beam, which add sinks, gates or norms to them.

modeling_qwen2.py: q, k and v always have a bias, o never, and no key says so (an `attention_bias` in a config
is not read). modeling_qwen3.py: no bias unless `attention_bias`, which then reaches o too; queries and keys are
normed per head, so the norms have the width of a head. jina-reranker-v3 (`JinaForRanking`) projects to 512 numbers.
modeling_qwen2_moe.py, modeling_qwen3_moe.py, modeling_qwen3_next.py: layer i is sparse iff (i+1) is a multiple of
`decoder_sparse_step`, i is not in `mlp_only_layers` and there are experts at all; Qwen3.5's mixture is sparse in every
layer. Qwen2's `qkv_bias` is true by default. The shared expert has a width of its own and a gate of one row.
Question answering has the root `transformer.`, but qwen2_moe's `model.`.
modeling_qwen3_next.py: q_proj holds query and output gate, interleaved per head; the linear layers' inputs are fused
and interleaved per key head, in Qwen3.5 they are separate; their norm has the width of one value head. Without
`layer_types` every `full_attention_interval`-th layer is full attention.
modeling_mimo.py of XiaomiMiMo's repositories: Qwen2 with layers for further tokens, which its class builds.
The `mtp.` part is outside of the model and is ignored on load.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    ENDS,
    EXPERTS,
    EXPERTS_BOTH_WAYS,
    GQA,
    LM_HEAD,
    PRE_NORMS,
    QK_NORM,
    ROUTER,
    SANDWICH,
    SHARED,
    SWIGLU,
)
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rooted, rows, under
from inspector.notation.kinds import buffer, conv, linear, param, scale

QWEN2 = Architecture("qwen2 qwen2_vl_text qwen2_5_vl_text qwen2_5_omni_text", dims=DECODER, heads=CAUSAL,
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attn", GQA, b="true"),
        under("layers.{L}.mlp", SWIGLU)))
MIMO = Architecture("mimo", dims=DECODER | Dims(N="num_nextn_predict_layers | 0"), heads=CAUSAL, parts=rows(
    QWEN2.parts,
    under("mtp_layers.{N}",
        PRE_NORMS,
        under("self_attn", GQA, b="true"),
        under("mlp", SWIGLU),
        part("token_layernorm",  "norm.mtp.embed",  scale("d")),
        part("hidden_layernorm", "norm.mtp.hidden", scale("d")),
        part("input_proj",       "mtp.join",        linear("d + d -> d")),
        part("final_layernorm",  "norm.final",      scale("d")), tower="mtp")))
RANKING = head("JinaForRanking", "model.",
    part("projector.0", "head.up",    linear("d -> d//2")),
    part("projector.2", "head.down",  linear("d//2 -> 512")),
    maybe("lm_head",    "head.token", linear("d -> V"), tied="embed.token"))
QWEN3 = Architecture("qwen3 qwen3_vl_text sdar", dims=DECODER, heads=(*CAUSAL, RANKING), parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS),
    under("layers.{L}.self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
    under("layers.{L}.mlp", SWIGLU)))

SPARSE = Dims(fe="moe_intermediate_size", step="decoder_sparse_step | 1", plain="mlp_only_layers",
              M="L[E > 0 and {L} not in plain and ({L}+1) % step == 0]", D="L - M")
GATED_SHARED = rows(                           # fs the width of the shared expert
    part("shared_expert_gate", "router.shared", linear("d -> 1")),
    under("shared_expert", SHARED, ff="fs"))
QWEN2_MOE = Architecture("qwen2_moe", heads=rooted(CAUSAL, "model."),
    dims=DECODER | SPARSE | Dims(E="num_experts | num_local_experts", fs="shared_expert_intermediate_size"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attn", GQA, b="qkv_bias | true"),         # bias on q k v, never on o
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp", ROUTER, GATED_SHARED, rows(EXPERTS, ff="fe"))))
QWEN3_MOE = Architecture("qwen3_moe qwen3_omni_moe_text sdar_moe", heads=CAUSAL,
    dims=DECODER | SPARSE | Dims(E="num_local_experts | num_experts"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp", ROUTER, rows(EXPERTS, ff="fe"))))
QWEN3_VL_MOE_TEXT = Architecture("qwen3_vl_moe_text", heads=CAUSAL,
    dims=QWEN3_MOE.dims,                       # files older than transformers 5 hold the experts [in, out]
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp", ROUTER, rows(EXPERTS_BOTH_WAYS, ff="fe"))))

GATED_GQA = rows(                              # the query's rows hold an output gate too
    part("q_proj", "attention.query",  linear("d -> h*(dh + dh)", bias="b", packs="query gate")),
    part("k_proj", "attention.key",    linear("d -> kv*dh", bias="b")),
    part("v_proj", "attention.value",  linear("d -> kv*dh", bias="b")),
    part("o_proj", "attention.output", linear("h*dh -> d",  bias="b")),
    QK_NORM)
DELTA_NET = rows(                              # hk key heads of width dk, hv value heads of width dv, w the kernel
    part("conv1d",   "ssm.conv",  conv("x -> x, w", groups="x", bias=False)),
    part("A_log",    "ssm.decay", param("hv")),
    part("dt_bias",  "ssm.step",  param("hv")),
    part("norm",     "norm.ssm",  scale("dv")),
    part("out_proj", "ssm.out",   linear("hv*dv -> d")))
FUSED_INPUTS = rows(
    part("in_proj_qkvz", "ssm.qkvz",
         linear("d -> hk*(dk + dk + hv/hk*dv + hv/hk*dv)", packs="query key value gate")),
    part("in_proj_ba",   "ssm.beta_alpha", linear("d -> hk*(hv/hk + hv/hk)", packs="beta alpha")))
APART_INPUTS = rows(
    part("in_proj_qkv",  "ssm.qkv",   linear("d -> hk*dk + hk*dk + hv*dv", packs="query key value")),
    part("in_proj_z",    "ssm.gate",  linear("d -> hv*dv")),
    part("in_proj_b",    "ssm.beta",  linear("d -> hv")),
    part("in_proj_a",    "ssm.alpha", linear("d -> hv")))
DELTA = DECODER | Dims(
    A="L[layer_types == 'full_attention'] when layer_types != null"
      " | L[({L}+1) % (full_attention_interval | 4) == 0]",
    B="L[layer_types == 'linear_attention'] when layer_types != null | L - A", hk="linear_num_key_heads",
    dk="linear_key_head_dim", hv="linear_num_value_heads", dv="linear_value_head_dim",
    w="linear_conv_kernel_dim", x="2*hk*dk + hv*dv", X="mtp_num_hidden_layers | num_nextn_predict_layers | 1")
DENSE_MLP = under("mlp", SWIGLU)
SPARSE_MLP = under("mlp", ROUTER, GATED_SHARED, rows(EXPERTS, ff="fe"))
MTP = rows(                                    # F: the mixture or the dense MLP of its layers
    part("mtp.fc",                    "mtp.join",         linear("d + d -> d")),
    part("mtp.norm",                  "norm.final",       scale("d")),
    part("mtp.pre_fc_norm_embedding", "norm.mtp.embed",   scale("d")),
    part("mtp.pre_fc_norm_hidden",    "norm.mtp.hidden",  scale("d")),
    under("mtp.layers.{X}", PRE_NORMS, under("self_attn", GATED_GQA, b="attention_bias")))
DENSE_MTP = rows(MTP, under("mtp.layers.{X}", DENSE_MLP), optional=True, extra="mtp", tower="mtp")
SPARSE_MTP = rows(MTP, under("mtp.layers.{X}", SPARSE_MLP), optional=True, extra="mtp", tower="mtp")
SPARSE_HEADS = (CAUSAL[0], head("ForCausalLM", "model.", LM_HEAD, SPARSE_MTP), *CAUSAL[2:])
QWEN3_NEXT = Architecture("qwen3_next", heads=SPARSE_HEADS,
    dims=DELTA | SPARSE | Dims(E="num_experts | num_local_experts", fs="shared_expert_intermediate_size"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS),
        under("layers.{A}.self_attn",   GATED_GQA, b="attention_bias"),
        under("layers.{B}.linear_attn", DELTA_NET, FUSED_INPUTS),
        under("layers.{D}", DENSE_MLP),
        under("layers.{M}", SPARSE_MLP)))
INSIDE = {"model.": "model.language_model."}   # a text-only config beside the joined model's names
QWEN3_5_TEXT = Architecture("qwen3_5_text",
                            ignores="attn_output_gate mlp_only_layers mtp_use_dedicated_embeddings "
                                    "partial_rotary_factor", dims=DELTA,
                                    dialects=({}, INSIDE), writers=("transformers", "the joined model"),
    heads=(CAUSAL[0], head("ForCausalLM", "model.", LM_HEAD, DENSE_MTP), *CAUSAL[2:]),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, DENSE_MLP),
        under("layers.{A}.self_attn",   GATED_GQA, b="attention_bias"),
        under("layers.{B}.linear_attn", DELTA_NET, APART_INPUTS)))
QWEN3_5_MOE_TEXT = Architecture("qwen3_5_moe_text",
                                ignores="attn_output_gate mlp_only_layers mtp_use_dedicated_embeddings "
                                        "partial_rotary_factor", heads=SPARSE_HEADS,
    dialects=({}, INSIDE), writers=("transformers", "the joined model"),
    dims=DELTA | Dims(E="num_experts | num_local_experts", fe="moe_intermediate_size",
                      fs="shared_expert_intermediate_size"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, SPARSE_MLP),
        under("layers.{A}.self_attn",   GATED_GQA, b="attention_bias"),
        under("layers.{B}.linear_attn", DELTA_NET, APART_INPUTS)))
MELLUM = Architecture("mellum", heads=rooted(CAUSAL, "model."),
    dims=DECODER | Dims(E="num_local_experts | num_experts", fe="moe_intermediate_size",
              D="L[mlp_layer_types == 'dense'] when mlp_layer_types != null | L[:0]", M="L - D"),
    parts=QWEN3_MOE.parts)                     # `mtp.` tensors are ignored on load; no row names them
FLINT = Architecture("flint", dialects=({}, {"*.softmax_offset": ".sinks"}), heads=rooted(CAUSAL, "model."),
    dims=DECODER | SPARSE | Dims(E="num_experts", fs="shared_expert_intermediate_size"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
            part("self_attn.softmax_offset", "attention.sink", param("h"))),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp", ROUTER, under("shared_expert", SHARED, ff="fs"), rows(EXPERTS, ff="fe"))))
LAGUNA_STATE_DICT = {  # names in memory under transformers 5
    "*.mlp.experts.e_score_correction_bias": ".mlp.gate.e_score_correction_bias",
    "*.mlp.shared_expert.": ".mlp.shared_experts.",
}
LAGUNA_BY_MLX = {
    "*.mlp.experts.e_score_correction_bias": ".mlp.gate.e_score_correction_bias",
    "*.mlp.gate.weight": ".mlp.gate.proj.weight",
}
LAGUNA = Architecture("laguna", dialects=({}, LAGUNA_STATE_DICT, LAGUNA_BY_MLX), heads=rooted(CAUSAL, "model."),
    dims=DECODER | Dims(E="num_experts", fe="moe_intermediate_size", fs="shared_expert_intermediate_size",
              dh="head_dim | d/num_attention_heads", h="num_attention_heads_per_layer[{L}] | num_attention_heads",
              kv="num_key_value_heads",
              M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[1:]", D="L - M",
              gate="h when gating == true or gating == 'per-head' | h*dh"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
            part("self_attn.g_proj", "attention.gate", linear("d -> gate"))),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            ROUTER,
            part("experts.e_score_correction_bias", "router.correction", param("E")),
            under("shared_expert", SHARED, ff="fs"),
            rows(EXPERTS, ff="fe"))))
KOLIBRI1_STATE_DICT = {  # names in memory under transformers 5
    "*.post_attn_norm": ".post_self_attn_layernorm",
    "*.post_ffn_norm": ".post_mlp_layernorm",
    "*.moe.router.expert_bias": ".mlp.gate.e_score_correction_bias",
}
KOLIBRI1 = Architecture("kolibri1", dialects=({}, KOLIBRI1_STATE_DICT), heads=rooted(CAUSAL, "model."),
    dims=DECODER | Dims(E="num_local_experts | num_experts", fe="moe_intermediate_size",
                        fs="shared_expert_intermediate_size"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            part("post_attn_norm",         "norm.attention.post", scale("d")),
            part("post_ffn_norm",          "norm.mlp.post",       scale("d")),
            part("moe.router.expert_bias", "router.correction",   buffer("E")),
            under("self_attn", GQA, QK_NORM),
            under("mlp", ROUTER, under("shared_experts", SHARED, ff="fs"), rows(EXPERTS, ff="fe")))))
BEAM = Architecture("beam", heads=CAUSAL,
    dims=DECODER | Dims(E="num_local_experts | num_experts", fe="moe_intermediate_size",
              M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[3:]", D="L - M"),
    parts=rows(
        ENDS,
        under("layers.{L}", SANDWICH,
            under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
            part("self_attn.gate_proj", "attention.gate",      linear("d -> h*dh")),
            part("self_attn.gate_bias", "attention.gate.bias", param("h"))),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            ROUTER,
            part("gate.e_score_correction_bias", "router.correction", buffer("E")),
            rows(EXPERTS, ff="fe"))))
