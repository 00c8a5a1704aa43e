"""OLMo, OLMo 2, OLMo 3 and OLMoE.

modeling_olmo.py: the norms have no weights at all. modeling_olmo2.py, modeling_olmo3.py: no norm before a half of a layer
but one after each; queries and keys are normed over all heads at once. modeling_olmoe.py: the same width of norms, but
norms in front; the key norm is as wide as the keys.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, EXPERTS, GQA, PRE_NORMS, ROUTER, SWIGLU
from inspector.notation.card import Architecture, Dims, part, rooted, rows, under
from inspector.notation.kinds import scale, table

HEADS = rooted(CAUSAL, "model.")
OLMO = Architecture("olmo", dims=DECODER, heads=HEADS, ties="tie_word_embeddings | false", parts=rows(
    part("embed_tokens", "embed.token", table("V d")),
    under("layers.{L}.self_attn", GQA, b="attention_bias", bo="attention_bias"),
    under("layers.{L}.mlp", SWIGLU)))
OLMO2 = Architecture("olmo2 olmo3", dims=DECODER, heads=HEADS, ties="tie_word_embeddings | false", parts=rows(
    ENDS,
    under("layers.{L}",
        part("post_attention_layernorm",   "norm.attention.post", scale("d")),
        part("post_feedforward_layernorm", "norm.mlp.post",       scale("d")),
        part("self_attn.q_norm",           "norm.query",          scale("h*dh")),
        part("self_attn.k_norm",           "norm.key",            scale("kv*dh")),
        under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
        under("mlp", SWIGLU))))
OLMOE = Architecture("olmoe", dims=DECODER | Dims(E="num_experts"), heads=HEADS, ties="tie_word_embeddings | false",
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            part("self_attn.q_norm", "norm.query", scale("d")),
            part("self_attn.k_norm", "norm.key",   scale("d//h*kv")),
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            under("mlp", ROUTER, EXPERTS))))
