"""MiniMax-01, MiniMax-M2 and the text model of MiniMax-M3.

modeling_minimax.py: linear layers (`layer_types`, without it every second one) store four decay buffers, megabytes that
count as bytes but not as parameters; their q, k, v are interleaved per head and their norm is as wide as all heads.
Experts have Mixtral's names.
modeling_minimax_m2.py: softmax attention only, queries and keys normed over all heads at once; a correction bias.
modeling_minimax_m3_vl.py: queries and keys normed per head; layers called `minimax_m3_sparse` have an indexer, dense
layers a width of their own; `intermediate_size` is that of the experts.
"""

from inspector.architectures.blocks import (
    BLOCK_SPARSE,
    CAUSAL,
    DECODER,
    ENDS,
    GATE_UP,
    GQA,
    PRE_NORMS,
    QK_NORM,
    ROUTER,
    SHARED,
    STACKED,
    SWIGLU,
    W123,
)
from inspector.notation.card import Architecture, Dims, either, part, rooted, rows, under
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
M3_SPARSE = either(                            # on disk; in memory
    under("block_sparse_moe",
        ROUTER,
        part("e_score_correction_bias", "router.correction", buffer("E")),
        under("shared_experts", SHARED, ff="fs"),
        under("experts.{E}", W123)),
    under("mlp",
        ROUTER,
        part("gate.e_score_correction_bias", "router.correction", buffer("E")),
        part("shared_experts.gate_up_proj",  "mlp.shared.gate_up", linear("d -> fs + fs", packs="gate up")),
        part("shared_experts.down_proj",     "mlp.shared.down",    linear("fs -> d")),
        under("experts", STACKED)))
M3_INDEXER = either(
    rows(
        part("index_q_proj",   "attention.indexer.query", linear("d -> hi*di")),
        part("index_k_proj",   "attention.indexer.key",   linear("d -> di")),
        part("index_q_norm",   "norm.indexer.query",      scale("di")),
        part("index_k_norm",   "norm.indexer.key",        scale("di"))),
    under("indexer",
        part("q_proj",         "attention.indexer.query", linear("d -> hi*di")),
        part("k_proj",         "attention.indexer.key",   linear("d -> di")),
        part("q_norm",         "norm.indexer.query",      scale("di")),
        part("k_norm",         "norm.indexer.key",        scale("di"))))
MINIMAX_M3_VL_TEXT = Architecture("minimax_m3_vl_text", heads=rooted(CAUSAL, "model."), ties="tie_word_embeddings | false",
    dims=DECODER | Dims(E="num_local_experts", fs="shared_intermediate_size", fd="dense_intermediate_size",
              hi="index_n_heads", di="index_head_dim",
              M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null"
                " | L[moe_layer_freq == 1] when moe_layer_freq != null | L", D="L - M",
              X="L[layer_types == 'minimax_m3_sparse'] when layer_types != null"
                " | L[sparse_attention_config.sparse_attention_freq == 1]"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, QK_NORM)),
        under("layers.{M}", M3_SPARSE),
        under("layers.{D}.mlp", either(SWIGLU, GATE_UP), ff="fd"),
        under("layers.{X}.self_attn", M3_INDEXER)))
