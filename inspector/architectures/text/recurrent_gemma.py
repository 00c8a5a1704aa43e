"""RecurrentGemma (Griffin).

modeling_recurrent_gemma.py: `block_types` is a pattern repeated over the layers; a `temporal_block` is attention or a
recurrence with gates of [heads, width, width]; the MLP is half as wide as `intermediate_size` says and has biases; o
always has one.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, SWIGLU
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import conv, dense, linear, param, scale, table

RECURRENT_GEMMA = Architecture("recurrent_gemma", heads=CAUSAL, ties="tie_word_embeddings | true",
    dims=DECODER | Dims(dh="head_dim | d//h", ff="intermediate_size//2", n="len(block_types)",
                        P="n[block_types == 'attention']", A="L[{L} % n in P]", B="L - A",
              r="lru_width | d", w="conv1d_width", u="r//h"),
    parts=rows(
        part("embed_tokens", "embed.token", table("V d")),
        part("final_norm",   "norm.final",  scale("d")),
        under("layers.{L}",
            part("temporal_pre_norm", "norm.attention", scale("d")),
            part("channel_pre_norm",  "norm.mlp",       scale("d")),
            under("mlp_block", SWIGLU, b="true")),
        under("layers.{A}.temporal_block",
            part("q_proj", "attention.query",  linear("d -> h*dh",  bias="attention_bias")),
            part("k_proj", "attention.key",    linear("d -> kv*dh", bias="attention_bias")),
            part("v_proj", "attention.value",  linear("d -> kv*dh", bias="attention_bias")),
            part("o_proj", "attention.output", dense("h*dh -> d"))),
        under("layers.{B}.temporal_block",
            part("linear_y",   "ssm.gate", dense("d -> r")),
            part("linear_x",   "ssm.in",   dense("d -> r")),
            part("conv_1d",    "ssm.conv", conv("r -> r, w", groups="r")),
            part("linear_out", "ssm.out",  dense("r -> d")),
            part("rg_lru.recurrent_param",       "ssm.decay",           param("r")),
            part("rg_lru.input_gate_weight",     "ssm.gate.input",           param("h u u")),
            part("rg_lru.input_gate_bias",       "ssm.gate.input.bias",      param("h u")),
            part("rg_lru.recurrent_gate_weight", "ssm.gate.recurrent",       param("h u u")),
            part("rg_lru.recurrent_gate_bias",   "ssm.gate.recurrent.bias",  param("h u")))))
