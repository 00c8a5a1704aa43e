"""A.X K2: A.X K1's latent attention with an indexer in every layer, an output gate and gated norms.

modeling_axk2.py: the matrix of the queries holds the output gate too and reads the latent beside itself, so that it has
twice the width in; a norm before attention and before a sparse MLP is followed by a gate of `gated_norm_rank`.
`num_key_value_heads` and `head_dim` change no shape. On disk gates and the matrix have older names.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, SWIGLU
from inspector.architectures.text.deepseek import MLA_DIMS, MOE, MOE_DIMS
from inspector.architectures.text.deepseek_v32 import INDEXER
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import linear, scale

AXK2_STATE_DICT = {  # names in memory under transformers 5
    "*.W_down.": ".mlp.fc1.", "*.W_up.": ".mlp.fc2.", "*.self_attn.q_b_proj.": ".self_attn.q_gate_proj."}
AXK2 = Architecture("axk2", ignores="qk_head_dim head_dim num_key_value_heads layer_types", heads=CAUSAL,
    dialects=({}, AXK2_STATE_DICT),
    dims=DECODER | MLA_DIMS | MOE_DIMS | Dims(
        hi="index_n_heads", di="index_head_dim", g="gated_norm_rank", k="first_k_dense_replace | 1",
        M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null"
          " | L[{L} >= k and {L} % (moe_layer_freq | 1) == 0]", D="L - M"),
    parts=rows(
        ENDS,
        under("layers.{L}.input_layernorm",
            part("norm",   "norm.attention",      scale("d")),
            part("W_down", "norm.attention.down", linear("d -> g")),
            part("W_up",   "norm.attention.up",   linear("g -> d"))),
        under("layers.{L}.self_attn",
            part("q_a_proj",           "attention.query.down", linear("d -> q", bias="attention_bias")),
            part("q_a_layernorm",      "norm.query",           scale("q")),
            part("q_b_proj",           "attention.query.up",   linear("2*q -> h*(dn+dr+dv)")),
            part("kv_a_proj_with_mqa", "attention.kv.down",
                 linear("d -> r + dr", bias="attention_bias", packs="latent rotary")),
            part("kv_a_layernorm",     "norm.kv",              scale("r")),
            part("kv_b_proj",          "attention.kv.up",      linear("r -> h*(dn + dv)", packs="key value")),
            part("o_proj",             "attention.output",     linear("h*dv -> d", bias="attention_bias")),
            INDEXER),
        part("layers.{D}.post_attention_layernorm", "norm.mlp", scale("d")),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.post_attention_layernorm",
            part("norm",   "norm.mlp",      scale("d")),
            part("W_down", "norm.mlp.down", linear("d -> g")),
            part("W_up",   "norm.mlp.up",   linear("g -> d"))),
        under("layers.{M}.mlp", MOE)))
