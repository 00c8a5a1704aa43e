"""Falcon, and its first names RefinedWeb (40B) and RefinedWebModel (1B, 7B).

modeling_falcon.py: keys and values have one head with `multi_query`, `num_kv_heads` only in the new decoder
architecture, else as many as queries, ignoring `num_kv_heads`; the fused rows are interleaved per kv group. Norms:
two in series without `parallel_attn`; in parallel `ln_attn` and `ln_mlp` when there are two of them (the new
architecture's default), else one. Tied by class default.
modelling_RW.py of the first repositories: RefinedWeb always has two parallel norms and `n_head_kv` heads;
RefinedWebModel is the old architecture. Their files have a separate head, or none.
"""

from inspector.architectures.blocks import CLASSIFIER, FOUR_H, QA_OUTPUTS, SCORE, TRANSFORMER
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, linear, table

FALCON_ENDS = rows(
    part("word_embeddings", "embed.token", table("V d")),
    part("ln_f",            "norm.final",  affine("d")))
FALCON_LAYER = rows(
    part("self_attention.query_key_value", "attention.qkv",
         linear("d -> kv*(h/kv*dh + dh + dh)", bias="bias", packs="q k v")),
    part("self_attention.dense",           "attention.output", linear("d -> d", bias="bias")),
    under("mlp", FOUR_H, b="bias"))
TWO_PARALLEL = rows(
    part("ln_attn", "norm.attention", affine("d")),
    part("ln_mlp",  "norm.mlp",       affine("d")))
FALCON = Architecture("falcon", heads=TRANSFORMER, ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="n_embed | hidden_size", L="num_hidden_layers", h="num_attention_heads", dh="d/h",
              kv="(num_kv_heads | h) when new_decoder_architecture | 1 when multi_query | h",
              ff="ffn_hidden_size | 4*d", norms="num_ln_in_parallel_attn | 2 when new_decoder_architecture | 1",
              C="labels"),
    parts=rows(
        FALCON_ENDS,
        under("h.{L}", FALCON_LAYER,
            part("input_layernorm",          "norm.attention", affine("d"), when="not parallel_attn or norms != 2"),
            part("post_attention_layernorm", "norm.mlp",       affine("d"), when="not parallel_attn"),
            rows(TWO_PARALLEL, when="parallel_attn and norms == 2"))))
FIRST_HEADS = (
    head("Model",                     ""),
    head("ForCausalLM",               "transformer.",
        maybe("lm_head", "head.token", linear("d -> V"), tied="embed.token")),
    head("ForSequenceClassification", "transformer.", SCORE),
    head("ForTokenClassification",    "transformer.", CLASSIFIER),
    head("ForQuestionAnswering",      "transformer.", QA_OUTPUTS))
FIRST = Dims(V="vocab_size", d="hidden_size", L="n_layer", h="n_head", dh="d/h", ff="4*d",
             C="labels")
OWN_HEAD = head("ForCausalLM", "transformer.",  # the 40B's files store it, and its published total counts it
    usually(part("lm_head", "head.token", linear("d -> V"), tied="embed.token")))
REFINED_WEB = Architecture("RefinedWeb", ignores="alibi apply_residual_connection_post_layernorm parallel_attn",
                           heads=(FIRST_HEADS[0], OWN_HEAD, *FIRST_HEADS[2:]),
    dims=FIRST | Dims(kv="n_head_kv | h"),
    parts=rows(FALCON_ENDS, under("h.{L}", FALCON_LAYER, TWO_PARALLEL)))
REFINED_WEB_MODEL = Architecture("RefinedWebModel",
                                 ignores="alibi apply_residual_connection_post_layernorm parallel_attn",
                                 heads=FIRST_HEADS,
    dims=FIRST | Dims(kv="1 when multi_query | h"),
    parts=rows(
        FALCON_ENDS,
        under("h.{L}", FALCON_LAYER,
            part("input_layernorm",          "norm.attention", affine("d")),
            part("post_attention_layernorm", "norm.mlp",       affine("d"), when="not parallel_attn"))))
