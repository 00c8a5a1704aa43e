"""BitNet b1.58 and Helium: Llama's layers with one difference each.

modeling_bitnet.py: a norm before o (as wide as the model) and one before down. modeling_helium.py: o is square and has
no bias whatever `attention_bias` says.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, PRE_NORMS, SWIGLU
from inspector.notation.definition import Architecture, part, rows, under
from inspector.notation.kinds import linear, scale

BITNET = Architecture("bitnet", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS,
        under("self_attn", GQA, part("attn_sub_norm", "norm.attention.sub", scale("d")),
              b="attention_bias", bo="attention_bias"),
        under("mlp", SWIGLU, part("ffn_sub_norm", "norm.mlp.sub", scale("ff"))))),
    dialects=({}, {"*attn_sub_norm.": "inner_attn_ln.", "*ffn_sub_norm.": "ffn_layernorm."}))  # the authors' first code
HELIUM = Architecture("helium", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS,
        part("self_attn.q_proj", "attention.query",  linear("d -> h*dh",  bias="attention_bias")),
        part("self_attn.k_proj", "attention.key",    linear("d -> kv*dh", bias="attention_bias")),
        part("self_attn.v_proj", "attention.value",  linear("d -> kv*dh", bias="attention_bias")),
        part("self_attn.o_proj", "attention.output", linear("d -> d")),
        under("mlp", SWIGLU, b="mlp_bias"))))
