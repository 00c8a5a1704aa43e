"""CPM-Ant.

modeling_cpmant.py: the embedding, and the head, have a row for every position of every prompt type behind the
vocabulary; the position bias has one row for each pair of segments and each bucket. transformers 5 gives the head the
vocabulary alone, and does not tie it.
"""

from inspector.notation.definition import Architecture, Dims, either, head, part, rows, under
from inspector.notation.kinds import linear, param, scale, table

CPMANT = Architecture("cpmant", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size + prompt_types*prompt_length", d="hidden_size", L="num_hidden_layers",
              h="num_attention_heads",
              dh="dim_head", ff="dim_ff", S="segment_types", n="position_bias_num_buckets"),
    heads=(
        head("Model",       ""),
        head("ForCausalLM", "cpmant.", either(
            part("lm_head", "head.token", linear("d -> V"), tied="embed.token"),
            part("lm_head", "head.token", linear("d -> vocab_size"))))),
    parts=rows(
        part("input_embedding",                       "embed.token",    table("V d")),
        part("segment_embedding",                     "embed.type",     table("S d")),
        part("position_bias.relative_attention_bias", "attention.bias", param("S*S+n h")),
        part("encoder.output_layernorm",              "norm.final",     scale("d")),
        under("encoder.layers.{L}.self_att",
            part("layernorm_before_attention",   "norm.attention",   scale("d")),
            part("self_attention.project_q",     "attention.query",  linear("d -> h*dh")),
            part("self_attention.project_k",     "attention.key",    linear("d -> h*dh")),
            part("self_attention.project_v",     "attention.value",  linear("d -> h*dh")),
            part("self_attention.attention_out", "attention.output", linear("h*dh -> d"))),
        under("encoder.layers.{L}.ffn",
            part("layernorm_before_ffn", "norm.mlp", scale("d")),
            part("ffn.w_in.w_0",         "mlp.gate", linear("d -> ff")),
            part("ffn.w_in.w_1",         "mlp.up",   linear("d -> ff")),
            part("ffn.w_out",            "mlp.down", linear("ff -> d")))))
