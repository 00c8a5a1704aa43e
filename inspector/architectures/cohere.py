"""Cohere (Command R) and Cohere 2 (Command R7B, Command A).

modeling_cohere.py, modeling_cohere2.py: one norm a layer, without bias, for attention and MLP in parallel; `use_qk_norm`
(Cohere only) has a weight for every head, [heads, width of a head]. Tied by class default.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, SWIGLU
from inspector.notation.card import Architecture, part, rows, under
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
COHERE2 = Architecture("cohere2", dims=DECODER, heads=CAUSAL, ties="tie_word_embeddings | true", parts=rows(
    ENDS,
    under("layers.{L}", LAYER)))
