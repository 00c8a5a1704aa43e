"""Ling and Ring of inclusionAI (code of its own in each repository): Llama's halves with q, k, v in one matrix.

modeling_bailing_moe.py there: `use_qkv_bias` reaches query_key_value, `use_bias` the other matrices but the experts';
layers from `first_k_dense_replace` on are mixtures. modeling_bailing_moe_v2.py (Ling 2): queries and keys are normed
per head with `use_qk_norm`, the router has a correction bias with `moe_router_enable_expert_bias`, shared experts have
a width of their own, `moe_shared_expert_intermediate_size`; MTP layers are numbered on after the last one.
Sarvam's 30B and Param-2 (vLLM's `sarvam.py`, `param2moe.py`) have the same modules.
modeling_llada2_moe.py (LLaDA 2, which fills masked text in): the norms, the bias of `dense` and the correction bias are
there unless a key says otherwise; no other matrix has a bias, and the shared experts are as wide as the routed ones.
Ring-linear (mlx-lm's `bailing_moe_linear.py`): the last of each `layer_group_size` layers has attention, and the
layers after the last whole group; the others have linear attention with as many heads of key and value as of query,
an output gate, and a norm over all heads.
"""

from inspector.architectures.blocks import DECODER, EXPERTS, PRE_NORMS, ROUTER, SHARED, SWIGLU
from inspector.notation.definition import Architecture, Dims, either, head, part, rows, under
from inspector.notation.kinds import buffer, linear, scale, table

HEAD = part("lm_head", "head.token", linear("d -> V"), tied="embed.token")
ATTENTION = under("attention",
    part("query_key_value", "attention.qkv",
         linear("d -> h*dh + kv*dh + kv*dh", bias="use_qkv_bias", packs="q k v")),
    part("query_layernorm", "norm.query",       scale("dh"), when="use_qk_norm"),
    part("key_layernorm",   "norm.key",         scale("dh"), when="use_qk_norm"),
    part("dense",           "attention.output", linear("h*dh -> d", bias="use_bias")))
MIXTURE = under("mlp",
    ROUTER,
    either(  # vLLM and SGLang read Sarvam's 30B under the second name
        part("gate.expert_bias",             "router.correction", buffer("E"), when="moe_router_enable_expert_bias"),
        part("gate.e_score_correction_bias", "router.correction", buffer("E"), when="moe_router_enable_expert_bias")),
    under("shared_experts", SHARED, ff="fs", b="use_bias", when="S > 0"),
    rows(EXPERTS, ff="fe", b="use_bias"))
BAILING_MOE = Architecture("bailing_moe sarvam_moe param2moe",
    dims=DECODER | Dims(                       # no record exercises this definition
        E="num_experts", fe="moe_intermediate_size", S="num_shared_experts",
        fs="moe_shared_expert_intermediate_size | fe*(S | 1)", k="first_k_dense_replace | 0",
        D="L[:k]", M="L[k:]", N="L : L + num_nextn_predict_layers"),
    heads=(
        head("Model",                     ""),
        head("ForCausalLM",               "model.", HEAD, default=True),
        head("ForSequenceClassification", "model.", part("score", "head.class", linear("d -> C")))),
    parts=rows(
        part("word_embeddings", "embed.token", table("V d")),
        part("norm",            "norm.final",  scale("d")),
        under("layers.{L}", PRE_NORMS, ATTENTION),
        under("layers.{D}.mlp", SWIGLU, b="use_bias"),
        under("layers.{M}", MIXTURE),
        under("layers.{N}", PRE_NORMS, ATTENTION, MIXTURE,
            part("enorm",           "norm.mtp.embed",  scale("d")),
            part("hnorm",           "norm.mtp.hidden", scale("d")),
            part("eh_proj",         "mtp.join",        linear("d + d -> d")),
            part("final_layernorm", "norm.final",      scale("d")),
            optional=True, extra="mtp")))
BAILING_HEADS = (head("Model", ""), head("ForCausalLM", "model.", HEAD, default=True))
BAILING_ENDS = rows(
    part("word_embeddings", "embed.token", table("V d")),
    part("norm",            "norm.final",  scale("d")))
LLADA2_MOE = Architecture("llada2_moe",
    ignores="norm_head max_window_layers use_sliding_window sliding_window score_function embedding_dropout"
            " output_dropout router_dtype norm_topk_prob",
    dims=DECODER | Dims(E="num_experts", fe="moe_intermediate_size", S="num_shared_experts", k="first_k_dense_replace",
                        D="L[:k]", M="L[k:]"),
    heads=(head("MoeModel Model", ""), head("ModelLM ForCausalLM", "model.", HEAD, default=True)),
    parts=rows(
        BAILING_ENDS,
        under("layers.{L}", PRE_NORMS,
            rows(ATTENTION, use_qk_norm="(use_qk_norm | true)", use_bias="(use_bias | true)")),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            ROUTER,
            part("gate.expert_bias", "router.correction", buffer("E")),
            under("shared_experts", SHARED, ff="fe*S", when="num_shared_experts != null"),
            rows(EXPERTS, ff="fe"))))
BAILING_MOE_LINEAR = Architecture("bailing_moe_linear",
    ignores="norm_head norm_softmax group_norm_size use_rmsnorm score_function moe_router_enable_routed_scaling"
            " moe_router_enable_shared_expert",
    dims=DECODER | Dims(                       # no record exercises this definition
        E="num_experts", fe="moe_intermediate_size", S="num_shared_experts",
        fs="moe_shared_expert_intermediate_size | fe*(S | 1)", k="first_k_dense_replace | 0", n="layer_group_size",
        D="L[:k]", M="L[k:]", A="L[({L} + 1) % n == 0 or {L} >= num_hidden_layers//n*n]", B="L - A"),
    heads=BAILING_HEADS,
    parts=rows(
        BAILING_ENDS,
        under("layers.{L}", PRE_NORMS),
        under("layers.{A}", ATTENTION),
        under("layers.{B}", rows(ATTENTION, kv="h"), under("attention",
            part("g_proj", "attention.gate", linear("d -> h*dh")),
            part("g_norm", "norm.ssm",       scale("h*dh")))),
        under("layers.{D}.mlp", SWIGLU, b="use_bias"),
        under("layers.{M}", MIXTURE)))
