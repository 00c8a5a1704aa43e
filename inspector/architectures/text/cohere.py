"""Cohere (Command R), Cohere 2 (Command R7B, Command A, and its mixture of experts) and Compass (text).

modeling_cohere.py, modeling_cohere2.py: one norm a layer, without bias, for attention and MLP in parallel;
`use_qk_norm` (Cohere only) has a weight for every head, [heads, width of a head]. Tied by class default.
modeling_cohere_compass.py: Cohere 2's layers.
modeling_cohere2_moe.py: `intermediate_size` is the width of experts; the dense layers in front have
`prefix_dense_intermediate_size`.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, EXPERTS, GQA, ROUTER, SHARED, SWIGLU
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import scale, table

LAYER = rows(
    part("input_layernorm", "norm.attention", scale("d")),
    under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
    under("mlp", SWIGLU))
COHERE = Architecture("cohere", dims=DECODER, heads=CAUSAL, ties="tie_word_embeddings | true", parts=rows(
    ENDS,
    under("layers.{L}", LAYER,
        part("self_attn.q_norm", "norm.query", table("h dh"),  when="use_qk_norm"),
        part("self_attn.k_norm", "norm.key",   table("kv dh"), when="use_qk_norm"))))
COHERE2 = Architecture("cohere2 cohere_compass_text", dims=DECODER, heads=CAUSAL, ties="tie_word_embeddings | true",
                       parts=rows(
    ENDS,
    under("layers.{L}", LAYER)))
COHERE2_MOE = Architecture("cohere2_moe", heads=CAUSAL, ties="tie_word_embeddings | true",
    dims=DECODER | Dims(E="num_experts", fd="prefix_dense_intermediate_size | ff", S="num_shared_experts",
              D="L[mlp_layer_types == 'dense'] when mlp_layer_types != null | L[:(first_k_dense_replace | 0)]",
              M="L - D"),
    parts=rows(
        ENDS,
        under("layers.{L}",
            part("input_layernorm", "norm.attention", scale("d")),
            under("self_attn", GQA, b="attention_bias", bo="attention_bias")),
        under("layers.{D}.mlp", SWIGLU, ff="fd"),
        under("layers.{M}.mlp",
            ROUTER,
            under("shared_experts", SHARED, ff="ff*S", when="S > 0"),
            EXPERTS)))
