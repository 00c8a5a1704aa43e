"""EXAONE 4.

modeling_exaone4.py: no norm before a half of a layer but one after each; queries and keys are normed per head; no bias.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, QK_NORM, SWIGLU
from inspector.notation.card import Architecture, part, rows, under
from inspector.notation.kinds import scale

EXAONE4 = Architecture("exaone4", dims=DECODER, heads=CAUSAL, ties="tie_word_embeddings | false", parts=rows(
    ENDS,
    under("layers.{L}",
        part("post_attention_layernorm",   "norm.attention.post", scale("d")),
        part("post_feedforward_layernorm", "norm.mlp.post",       scale("d")),
        under("self_attn", GQA, QK_NORM),
        under("mlp", SWIGLU))))
