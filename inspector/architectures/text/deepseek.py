"""Deepseek V2 and V3 (and Kimi K2): latent attention, dense and sparse layers, MTP. The first Deepseek-MoE.

modeling_deepseek_v2.py, modeling_deepseek_v3.py: `q_lora_rank` null means one `q_proj`, otherwise down, norm, up.
`attention_bias` reaches q_a, kv_a and o but not the up projections; `num_key_value_heads` moves nothing. The shared
expert is one MLP as wide as `n_shared_experts` experts; 0 of them store empty tensors, null none. The router's
correction bias is V3's only. V2's `mlp_bias` reaches dense and shared MLPs; the routed experts' too, but only in
transformers 4. MTP layers are numbered on after the last one and ignored on load.
modeling_axk1.py (A.X K1): a norm behind the sparse MLPs only. modeling_mistral4.py: no correction bias.
modeling_minicpm3.py, modeling_youtu.py: latent attention and dense MLPs only; PLM's (code of its own) have no gate.
Sarvam's 105B (vLLM's `sarvam.py`): V3's layers under the config keys of Bailing.
Deepseek-MoE (code of its own): Llama's attention; sparse from `first_k_dense_replace` on, every `moe_layer_freq`-th.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    ENDS,
    EXPERTS,
    EXPERTS_WITH_OLD_BIAS,
    GQA,
    MLX_EXPERTS,
    PRE_NORMS,
    ROUTER,
    SHARED,
    SWIGLU,
    SWITCH,
    UP_DOWN,
)
from inspector.notation.definition import Architecture, Dims, either, part, rows, under
from inspector.notation.kinds import buffer, linear, scale, table

MLA = rows(
    part("q_proj",             "attention.query",      linear("d -> h*(dn+dr)"), when="q_lora_rank == null"),
    rows(
        part("q_a_proj",       "attention.query.down", linear("d -> q", bias="attention_bias")),
        part("q_a_layernorm",  "norm.query",           scale("q")),
        part("q_b_proj",       "attention.query.up",   linear("q -> h*(dn+dr)")), when="q_lora_rank != null"),
    part("kv_a_proj_with_mqa", "attention.kv.down",
         linear("d -> r + dr", bias="attention_bias", packs="latent rotary")),
    part("kv_a_layernorm",     "norm.kv",              scale("r")),
    either(
        part("kv_b_proj",      "attention.kv.up",      linear("r -> h*(dn + dv)", packs="key value")),
        rows(                                         # MLX's two halves, head by head
            part("embed_q",     "attention.key.up",   linear("dn -> r", each="h")),
            part("unembed_out", "attention.value.up", linear("r -> dv", each="h")))),
    part("o_proj",             "attention.output",     linear("h*dv -> d", bias="attention_bias")))
MLA_DIMS = Dims(q="q_lora_rank", r="kv_lora_rank", dn="qk_nope_head_dim", dr="qk_rope_head_dim", dv="v_head_dim")
MOE = rows(
    ROUTER,
    part("gate.e_score_correction_bias", "router.correction", buffer("E")),
    under("shared_experts", SHARED, ff="fe*S", when="n_shared_experts != null"),
    rows(EXPERTS, ff="fe"))
SPARSE_DIMS = Dims(E="n_routed_experts", fe="moe_intermediate_size", S="n_shared_experts")
MOE_DIMS = SPARSE_DIMS | Dims(k="first_k_dense_replace | 0", D="L[:k]", M="L[k:]")
MTP_EXTRAS = rows(
    part("enorm",            "norm.mtp.embed",  scale("d")),
    part("hnorm",            "norm.mtp.hidden", scale("d")),
    part("eh_proj",          "mtp.join",        linear("d + d -> d")),
    part("embed_tokens",     "embed.token",     table("V d"),     tied="embed.token", ties=True),
    part("shared_head.norm", "norm.final",      scale("d")),
    part("shared_head.head", "head.token",      linear("d -> V"), tied="head.token",  ties=True))
DEEPSEEK_V3 = Architecture("deepseek_v3 kimi_k2", ignores="moe_layer_freq scoring_func topk_method qk_head_dim",
                           heads=CAUSAL,
    dims=DECODER | MLA_DIMS | MOE_DIMS | Dims(N="L : L + num_nextn_predict_layers"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", MLA)),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp", MOE),
        under("layers.{N}", PRE_NORMS, under("self_attn", MLA), under("mlp", MOE), MTP_EXTRAS,
              optional=True, extra="mtp")))
DEEPSEEK_V2 = Architecture("deepseek_v2", ignores="qk_head_dim", heads=CAUSAL,
    dims=DECODER | MLA_DIMS | MOE_DIMS,
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", MLA)),
        under("layers.{D}.mlp", SWIGLU, b="mlp_bias"),
        under("layers.{M}.mlp",
            ROUTER,
            under("shared_experts", SHARED, ff="fe*S", b="mlp_bias", when="n_shared_experts != null"),
            either(rows(EXPERTS_WITH_OLD_BIAS, ff="fe", b="mlp_bias"), under(MLX_EXPERTS, SWITCH, ff="fe")))))
DEEPSEEK = Architecture("deepseek", heads=CAUSAL,
    dims=DECODER | MOE_DIMS | Dims(            # no record exercises this definition
        M="L[{L} >= k and {L} % (moe_layer_freq | 1) == 0 and E != null]", D="L - M"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, b="attention_bias", bo="attention_bias")),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            ROUTER,
            under("shared_experts", SHARED, ff="fe*S", when="n_shared_experts != null"),
            either(under("experts.{E}", SWIGLU, ff="fe"), under(MLX_EXPERTS, SWITCH, ff="fe")))))
MISTRAL4 = Architecture("mistral4", ignores="qk_head_dim", heads=CAUSAL,
    ties="tied_embeddings | tie_word_embeddings | false",
    dims=DECODER | MLA_DIMS | MOE_DIMS,
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", MLA)),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp", ROUTER, under("shared_experts", SHARED, ff="fe*S"), rows(EXPERTS, ff="fe"))))
SARVAM_MLA = Architecture("sarvam_mla", ignores="qk_head_dim score_function moe_layer_freq use_qk_norm", heads=CAUSAL,
    dims=DECODER | MLA_DIMS | Dims(            # no record exercises this definition
        E="num_experts", fe="moe_intermediate_size", S="num_shared_experts | 1", k="first_k_dense_replace | 1",
        fs="moe_shared_expert_intermediate_size | fe", M="L[k:]", D="L[:k]"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, rows(under("self_attn", MLA), attention_bias="false")),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            ROUTER,
            part("gate.e_score_correction_bias", "router.correction", buffer("E"),
                 when="moe_router_enable_expert_bias | true"),
            under("shared_experts", SHARED, ff="fs*S", when="S > 0"),
            rows(EXPERTS, ff="fe"))))
MINICPM3 = Architecture("minicpm3 youtu youtu_llm", ignores="qk_head_dim", heads=CAUSAL,
                        ties="tie_word_embeddings | true", dims=DECODER | MLA_DIMS | Dims(dv="v_head_dim | d/h"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", MLA), under("mlp", SWIGLU, b="mlp_bias"))))
PLM = Architecture("plm", ignores="qk_head_dim", heads=CAUSAL, ties="tie_word_embeddings | true",
    dims=DECODER | MLA_DIMS,                   # no record exercises this definition
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", MLA), under("mlp", UP_DOWN))))
AXK1_STATE_DICT = {  # names in memory under transformers 5
    "*.post_mlp_layernorm": ".mlp.post_mlp_layernorm",
}
AXK1 = Architecture("axk1", dialects=({}, AXK1_STATE_DICT), ignores="qk_head_dim", heads=CAUSAL,
    dims=DECODER | MLA_DIMS | MOE_DIMS | Dims(
        k="first_k_dense_replace | 1",
        M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[{L} >= k and {L} % (moe_layer_freq "
          "| 1) == 0]",
        D="L - M"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", MLA)),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp", MOE),
        part("layers.{M}.post_mlp_layernorm", "norm.mlp.post", scale("d"))))
UNLIMITED_OCR_TEXT = Architecture("unlimited_ocr_text deepseek_ocr2_text", ignores="head_dim", heads=CAUSAL,
    dims=DECODER | MOE_DIMS | Dims(
        dh="d//h",
        M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[(first_k_dense_replace | 1):]", D="L - M"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, b="attention_bias", bo="attention_bias")),
        under("layers.{D}.mlp", SWIGLU, b="mlp_bias"),
        under("layers.{M}.mlp",
            ROUTER,
            under("shared_experts", SHARED, ff="fe*S", b="mlp_bias"),
            rows(EXPERTS, ff="fe"))))
