"""Qwen4-Exp's text model: Qwen3.5's linear attention and mixture, with hyper-connections and tables of n-grams.

modeling_qwen4_exp.py: the residual is `hc_count` streams; before each half of a layer two matrices of the rank
`hc_lowrank` mix them, and once more behind the last layer instead of a norm. Every fourth layer attends to the tokens
that an indexer picks. The layers that `ple_layer_ids` counts from 1 look up hashed n-grams: a table for each head, as
long as a prime from `ngram_vocab_size_base` on that no other head has; all tables of a layer are one, which is saved in
`split_ngram_parts` pieces. `mtp` tensors are ignored on load.
"""

from inspector.architectures.blocks import CAUSAL
from inspector.architectures.text.qwen import APART_INPUTS, DELTA, DELTA_NET, GATED_GQA, SPARSE_MLP
from inspector.notation.definition import Architecture, Dims, either, part, rows, under
from inspector.notation.kinds import buffer, conv, linear, scale, table

MIX = rows(                                    # s streams, r the rank of what mixes them
    part("hc_norm",               "norm.hyper", scale("s*d")),
    part("input_mix_weight_down", "hyper.down", linear("s*d -> r")),
    part("input_mix_weight_up",   "hyper.up",   linear("r -> s*d")))
INJECT = part("block_inject_weight", "hyper.inject", linear("s*d -> s"))
INDEXER = under("indexer",
    part("index_qk_proj", "attention.indexer.qk", linear("d -> (hi + ki)*di")),
    part("q_layernorm",   "norm.indexer.query",   scale("di")),
    part("k_layernorm",   "norm.indexer.key",     scale("di")))
TABLES = under("ple_embedding",                # n heads in all, e their width, rows of all their tables
    part("layer_multipliers",       "embed.ngram.multiplier", buffer("ngram_size")),
    part("ngram_heads_vocab_sizes", "embed.ngram.size",       buffer("n")),
    part("ngram_heads_offsets",     "embed.ngram.offset",     buffer("n")),
    either(
        part("ngram_embedding.shard_{S}", "embed.ngram", table("min(piece,rows-piece*{S}) pe//n")),
        part("ngram_embedding",           "embed.ngram", table("rows pe//n"))))
NGRAMS = rows(
    TABLES,
    part("key_proj",   "embed.ngram.key",   linear("pe -> s*d")),
    part("value_proj", "embed.ngram.value", linear("pe -> d")),
    part("norm_key",   "norm.ngram.key",    scale("s*d")),
    part("norm_query", "norm.ngram.query",  scale("s*d")),
    part("norm_conv",  "norm.ngram.conv",   scale("s*d")),
    part("conv1d",     "embed.ngram.conv",  conv("s*d -> s*d, ple_conv_kernel_size", groups="s*d", bias=False)))
QWEN4_EXP_TEXT = Architecture("qwen4_exp_text", heads=CAUSAL,
    ignores="indexer_budget indexer_compress_ratio output_gate_type",
    dims=DELTA | Dims(
        A="L[layer_types in 'indexed_attention full_attention'] when layer_types != null"
          " | L[({L}+1) % (full_attention_interval | 4) == 0]", B="L - A",
        E="num_experts", fe="moe_intermediate_size", fs="shared_expert_intermediate_size", s="hc_count", r="hc_lowrank",
        hi="indexer_n_heads", ki="indexer_kv_heads", di="indexer_head_dim",
        P="L[{L}+1 in ple_layer_ids]", pe="ple_embed_dim | d", n="(ngram_size - 1)*heads_per_ngram",
        rows="ceil(primes(ngram_vocab_size_base,len(P & (0:{P}))*n,n),make_ngram_vocab_size_divisible_by)",
        S="split_ngram_parts", piece="ceil(rows,S)//S"),
    parts=rows(
        part("embed_tokens", "embed.token", table("V d")),
        under("hyper_connection_mixer", MIX, tower="last"),
        under("layers.{L}", SPARSE_MLP,
            under("attn_hyper_connection", MIX, INJECT, tower="attention"),
            under("mlp_hyper_connection",  MIX, INJECT, tower="mlp")),
        under("layers.{A}.self_attn", GATED_GQA, INDEXER, b="attention_bias"),
        under("layers.{B}.linear_attn", DELTA_NET, APART_INPUTS),
        under("layers.{P}.ple", NGRAMS)))
