"""MiniMax-01 and MiniMax-M2.

modeling_minimax.py: linear layers (`layer_types`, without it every second one) store four decay buffers, megabytes that
count as bytes but not as parameters; their q, k, v are interleaved per head and their norm is as wide as all heads.
Experts have Mixtral's names.
modeling_minimax_m2.py: softmax attention only, queries and keys normed over all heads at once; a correction bias.
"""

from inspector.architectures.blocks import BLOCK_SPARSE, CAUSAL, DECODER, ENDS, GQA, PRE_NORMS
from inspector.notation.card import Architecture, Dims, part, rooted, rows, under
from inspector.notation.kinds import buffer, linear, scale

MINIMAX = Architecture("minimax", heads=rooted(CAUSAL, "model."), ties="tie_word_embeddings | false",
    dims=DECODER | Dims(E="num_local_experts", n="block_size",
              B="L[layer_types == 'linear_attention'] when layer_types != null | L[1::2]", A="L - B"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, BLOCK_SPARSE),
        under("layers.{A}.self_attn", GQA),
        under("layers.{B}.self_attn",
            part("qkv_proj",       "ssm.qkv",    linear("d -> h*(dh + dh + dh)", packs="q k v")),
            part("output_gate",    "ssm.gate",   linear("d -> h*dh")),
            part("out_proj",       "ssm.out",    linear("h*dh -> d")),
            part("norm",           "norm.ssm",   scale("h*dh")),
            part("slope_rate",     "ssm.slope",  buffer("h 1 1")),
            part("query_decay",    "ssm.decay.query",    buffer("h n 1")),
            part("key_decay",      "ssm.decay.key",      buffer("h n 1")),
            part("diagonal_decay", "ssm.decay.diagonal", buffer("1 h n n")))))
MINIMAX_M2 = Architecture("minimax_m2", dims=DECODER | Dims(E="num_local_experts"), heads=rooted(CAUSAL, "model."),
    ties="tie_word_embeddings | false",
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA),
            part("self_attn.q_norm", "norm.query", scale("h*dh")),
            part("self_attn.k_norm", "norm.key",   scale("kv*dh")),
            part("block_sparse_moe.e_score_correction_bias", "router.correction", buffer("E")),
            BLOCK_SPARSE)))
