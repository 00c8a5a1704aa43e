"""Ling and Ring of inclusionAI (code of its own in each repository): Llama's halves with q, k, v in one matrix.

modeling_bailing_moe.py there: `use_qkv_bias` reaches query_key_value, `use_bias` the other matrices but the experts';
layers from `first_k_dense_replace` on are mixtures. modeling_bailing_moe_v2.py (Ling 2): queries and keys are normed
per head with `use_qk_norm`, the router has a correction bias with `moe_router_enable_expert_bias`, shared experts have
a width of their own, `moe_shared_expert_intermediate_size`; MTP layers are numbered on after the last one.
"""

from inspector.architectures.blocks import DECODER, EXPERTS, PRE_NORMS, ROUTER, SHARED, SWIGLU
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
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
    part("gate.expert_bias", "router.correction", buffer("E"), when="moe_router_enable_expert_bias"),
    under("shared_experts", SHARED, ff="fs", b="use_bias", when="S > 0"),
    rows(EXPERTS, ff="fe", b="use_bias"))
BAILING_MOE = Architecture("bailing_moe",
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
