"""EXAONE 4, the mixture of experts (K-EXAONE), and EXAONE 3 by code of its own.

modeling_exaone4.py: no norm before a half of a layer but one after each; queries and keys are normed per head; no bias.
modeling_exaone_moe.py: norms in front again; sparse layers from `mlp_layer_types`, else from `first_k_dense_replace`
on. EXAONE 3 (modeling_exaone.py in its repositories): GPT-2's names around a Llama; c_fc_0 is the gate.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    ENDS,
    EXPERTS,
    GQA,
    PRE_NORMS,
    QK_NORM,
    ROUTER,
    SHARED,
    SWIGLU,
    TRANSFORMER,
)
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import buffer, linear, scale, table

EXAONE4 = Architecture("exaone4", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}",
        part("post_attention_layernorm",   "norm.attention.post", scale("d")),
        part("post_feedforward_layernorm", "norm.mlp.post",       scale("d")),
        under("self_attn", GQA, QK_NORM),
        under("mlp", SWIGLU))))
EXAONE_MOE_STATE_DICT = {  # names in memory under transformers 5
    "*.mlp.e_score_correction_bias": ".mlp.gate.e_score_correction_bias",
}
EXAONE_MOE = Architecture("exaone_moe", dialects=({}, EXAONE_MOE_STATE_DICT), heads=CAUSAL,
    dims=DECODER | Dims(E="num_experts", fe="moe_intermediate_size", S="num_shared_experts",
              M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[first_k_dense_replace:]", D="L - M"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, QK_NORM)),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            ROUTER,
            part("e_score_correction_bias", "router.correction", buffer("E")),
            under("shared_experts", SHARED, ff="fe*S"),
            rows(EXPERTS, ff="fe"))))
EXAONE = Architecture("exaone", heads=TRANSFORMER,
    dims=DECODER | Dims(L="num_layers"),       # no record exercises this definition
    parts=rows(
        part("wte",  "embed.token", table("V d")),
        part("ln_f", "norm.final",  scale("d")),
        under("h.{L}",
            part("ln_1",                    "norm.attention",   scale("d")),
            part("attn.attention.q_proj",   "attention.query",  linear("d -> h*dh")),
            part("attn.attention.k_proj",   "attention.key",    linear("d -> kv*dh")),
            part("attn.attention.v_proj",   "attention.value",  linear("d -> kv*dh")),
            part("attn.attention.out_proj", "attention.output", linear("h*dh -> d")),
            part("ln_2",                    "norm.mlp",         scale("d")),
            part("mlp.c_fc_0",              "mlp.gate",         linear("d -> ff")),
            part("mlp.c_fc_1",              "mlp.up",           linear("d -> ff")),
            part("mlp.c_proj",              "mlp.down",         linear("ff -> d")))))
