"""EXAONE 4, and the mixture of experts (K-EXAONE).

modeling_exaone4.py: no norm before a half of a layer but one after each; queries and keys are normed per head; no bias.
modeling_exaone_moe.py: norms in front again; sparse layers from `mlp_layer_types`, else from `first_k_dense_replace` on.
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
)
from inspector.notation.card import Architecture, Dims, part, rows, under
from inspector.notation.kinds import buffer, scale

EXAONE4 = Architecture("exaone4", dims=DECODER, heads=CAUSAL, ties="tie_word_embeddings | false", parts=rows(
    ENDS,
    under("layers.{L}",
        part("post_attention_layernorm",   "norm.attention.post", scale("d")),
        part("post_feedforward_layernorm", "norm.mlp.post",       scale("d")),
        under("self_attn", GQA, QK_NORM),
        under("mlp", SWIGLU))))
EXAONE_MOE = Architecture("exaone_moe", heads=CAUSAL, ties="tie_word_embeddings | false",
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
