"""Deepseek V4: one key and value head that is read directly or compressed, hyper-connections, all layers sparse.

modeling_deepseek_v4.py: the residual is `hc_mult` streams; before each half a layer mixes them by a matrix of
`(2 + hc_mult) * hc_mult` rows, and `hc_head` joins them before the last norm. The output projection is in `o_groups`
groups, whose matrices are stacked. Layers of `heavily_compressed_attention` have a compressor, those of
`compressed_sparse_attention` one of twice the width and an indexer with a compressor of its own. `hash_moe` layers
route by a table of token ids instead of a correction bias. `n_shared_experts` and `num_key_value_heads` change no
shape; `mlp_bias` reaches the shared MLP only. The layers of `mtp.` are ignored on load: plain attention, a projection
for the token and one for the hidden state, their own joining of the streams (vLLM, models/deepseek_v4).
configuration_deepseek_v4.py: without `layer_types` the older `compress_ratios` say them, without both the first two
layers and then every second one compress heavily; without `mlp_layer_types` the first `num_hash_layers` hash.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, LM_HEAD, PRE_NORMS, ROUTER, SHARED, STACKED, W123
from inspector.notation.definition import Architecture, Dims, either, head, part, rows, under
from inspector.notation.kinds import buffer, linear, param, scale, table

HYPER_DIMS = Dims(m="hc_mult")
HYPER_HEAD = under("hc_head",                  # joins m streams into one
    part("hc_fn",    "hyper.head.mix",        param("m m*d")),
    part("hc_base",  "hyper.head.bias",       param("m")),
    part("hc_scale", "hyper.head.scale",      param("1")))
HYPER = rows(                                  # n rows: what each half of a layer reads, writes and keeps of m streams
    under("attn_hc",
        part("fn",    "hyper.attention.mix",   param("n m*d")),
        part("base",  "hyper.attention.bias",  param("n")),
        part("scale", "hyper.attention.scale", param("parts"))),
    under("ffn_hc",
        part("fn",    "hyper.mlp.mix",         param("n m*d")),
        part("base",  "hyper.mlp.bias",        param("n")),
        part("scale", "hyper.mlp.scale",       param("parts"))))
COMPRESSOR = rows(                             # c tokens into one of the width w
    part("kv_proj",       "attention.compress.kv",       linear("d -> w")),
    part("gate_proj",     "attention.compress.gate",     linear("d -> w")),
    part("position_bias", "attention.compress.position", param("c w")),
    part("kv_norm",       "norm.compress",               scale("dh")))
INDEXER = rows(
    part("kv_proj",             "attention.indexer.kv",       linear("d -> 2*di")),
    part("gate_proj",           "attention.indexer.gate",     linear("d -> 2*di")),
    part("position_bias",       "attention.indexer.position", param("c 2*di")),
    part("kv_norm",             "norm.indexer",               scale("di")),
    part("q_b_proj",            "attention.indexer.query",    linear("q -> hi*di")),
    part("scorer.weights_proj", "attention.indexer.weight",   linear("d -> hi")))
DEEPSEEK_V4_SAVED = {  # transformers saves the names of the first release, below the prefix of its class
    "embed_tokens.": "embed.", "lm_head.": "head.", "hc_head.hc_": "hc_head_",
    "*.input_layernorm.": ".attn_norm.", "*.post_attention_layernorm.": ".ffn_norm.",
    "*.attn_hc.": ".hc_attn_", "*.ffn_hc.": ".hc_ffn_",
    "*.compressor.indexer.scorer.weights_proj.": ".indexer.weights_proj.",
    "*.compressor.indexer.q_b_proj.": ".indexer.wq_b.", "*.compressor.indexer.": ".indexer.compressor.",
    "*.kv_norm.": ".norm.", "*.q_a_norm.": ".q_norm.", "*.position_bias": ".ape", "*.sinks": ".attn_sink",
    "*.q_a_proj.": ".wq_a.", "*.q_b_proj.": ".wq_b.", "*.kv_proj.": ".wkv.",
    "*.o_a_proj.": ".wo_a.", "*.o_b_proj.": ".wo_b.", "*.gate.e_score_correction_bias": ".gate.bias",
    "*.shared_experts.gate_proj.": ".shared_experts.w1.", "*.shared_experts.up_proj.": ".shared_experts.w3.",
    "*.shared_experts.down_proj.": ".shared_experts.w2.", "*.gate_proj.": ".wgate.",
    "*.self_attn.": ".attn.", "*.mlp.": ".ffn."}
DEEPSEEK_V4_RELEASED = DEEPSEEK_V4_SAVED | {
    "model.": "", "model.embed_tokens.": "embed.", "model.hc_head.hc_": "hc_head_"}
ATTENTION = under("self_attn",
    part("q_a_proj", "attention.query.down",  linear("d -> q")),
    part("q_a_norm", "norm.query",            scale("q")),
    part("q_b_proj", "attention.query.up",    linear("q -> h*dh")),
    part("kv_proj",  "attention.kv",          linear("d -> dh")),
    part("kv_norm",  "norm.kv",               scale("dh")),
    part("o_a_proj", "attention.output.down", linear("h*dh//g -> g*r")),
    part("o_b_proj", "attention.output.up",   linear("g*r -> d")),
    part("sinks",    "attention.sink",        param("h")))
MIXTURE = under("mlp",
    ROUTER,
    under("shared_experts", SHARED, ff="fe", b="mlp_bias"),
    either(under("experts.{E}", W123), under("experts", STACKED)), ff="fe")
LAYER = rows(PRE_NORMS, rows(HYPER, n="(2 + m)*m", parts="3"), ATTENTION, MIXTURE)
CORRECTION = part("mlp.gate.e_score_correction_bias", "router.correction", buffer("E"))
MTP = under("mtp.{X}", LAYER, CORRECTION,
    part("enorm",         "norm.mtp.embed",    scale("d")),
    part("hnorm",         "norm.mtp.hidden",   scale("d")),
    part("e_proj",        "mtp.embed",         linear("d -> d")),
    part("h_proj",        "mtp.hidden",        linear("d -> d")),
    part("hc_head_fn",    "hyper.head.mix",    param("m m*d")),
    part("hc_head_base",  "hyper.head.bias",   param("m")),
    part("hc_head_scale", "hyper.head.scale",  param("1")),
    part("norm",          "norm.final",        scale("d")),
    part("emb.tok_emb",   "embed.token",       table("V d"),     tied="embed.token", ties=True),
    part("head",          "head.token",        linear("d -> V"), tied="head.token",  ties=True),
    optional=True, extra="mtp", tower="mtp")
DEEPSEEK_V4 = Architecture("deepseek_v4", heads=(CAUSAL[0], head("ForCausalLM", "model.", LM_HEAD, MTP), *CAUSAL[2:]),
    ignores="n_shared_experts num_key_value_heads qk_rope_head_dim",
    dialects=({}, DEEPSEEK_V4_SAVED, DEEPSEEK_V4_RELEASED),
    writers=("transformers in memory", "transformers", "the first release"),
    dims=DECODER | HYPER_DIMS | Dims(
        q="q_lora_rank", r="o_lora_rank", g="o_groups", E="n_routed_experts", fe="moe_intermediate_size",
        k="num_experts_per_tok", hi="index_n_heads", di="index_head_dim",
        heavy="compress_rate_hca | compress_rates.heavily_compressed_attention | 128",
        sparse="compress_rate_csa | compress_rates.compressed_sparse_attention | 4",
        A="L[layer_types == 'heavily_compressed_attention'] when layer_types != null"
          " | L[compress_ratios == 128] when compress_ratios != null | L[{L} == 1 or {L} % 2 == 0]",
        B="L[layer_types == 'compressed_sparse_attention'] when layer_types != null"
          " | L[compress_ratios == 4] when compress_ratios != null | L - A",
        H="L[mlp_layer_types == 'hash_moe'] when mlp_layer_types != null | L[:(num_hash_layers | 3)]", M="L - H",
        X="num_nextn_predict_layers"),
    parts=rows(
        ENDS,
        HYPER_HEAD,
        under("layers.{L}", LAYER),
        under("layers.{A}.self_attn.compressor", COMPRESSOR, c="heavy", w="dh"),
        under("layers.{B}.self_attn.compressor", COMPRESSOR, under("indexer", INDEXER), c="sparse", w="2*dh"),
        part("layers.{H}.mlp.gate.tid2eid", "router.hash", buffer("V k")),
        under("layers.{M}", CORRECTION)))
