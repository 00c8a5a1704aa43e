"""OpenELM (code of its own in each repository): every layer has its own numbers of heads and its own MLP width.

modeling_openelm.py there: `num_query_heads`, `num_kv_heads` and `ffn_multipliers` are lists, one entry a layer; the
MLP's width is the multiplier times `model_dim`, rounded to the nearest multiple of `ffn_dim_divisor`, and up where that
loses more than a tenth (`make_divisible`). The embedding is the head too, unless `share_input_output_layers` is false.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import linear, scale, table

OPENELM = Architecture("openelm", ties="share_input_output_layers | true",   # no record exercises this definition
    dims=Dims(V="vocab_size", d="model_dim", L="num_transformer_layers", dh="head_dim", h="num_query_heads[{L}]",
              kv="num_kv_heads[{L}]", n="ffn_dim_divisor", v="ffn_multipliers[{L}]*d",
              w="max(n, floor(v + 0.5*n)//n*n)", ff="w + n when w < 0.9*v | w"),
    heads=(
        head("Model",       ""),
        head("ForCausalLM", "transformer.", part("lm_head", "head.token", linear("d -> V"), tied="embed.token"))),
    parts=rows(
        part("token_embeddings", "embed.token", table("V d")),
        part("norm",             "norm.final",  scale("d")),
        under("layers.{L}",
            part("attn_norm",     "norm.attention",   scale("d")),
            part("attn.qkv_proj", "attention.qkv",    linear("d -> h*dh + kv*dh + kv*dh", packs="q k v")),
            part("attn.q_norm",   "norm.query",       scale("dh"), when="normalize_qk_projections"),
            part("attn.k_norm",   "norm.key",         scale("dh"), when="normalize_qk_projections"),
            part("attn.out_proj", "attention.output", linear("h*dh -> d")),
            part("ffn_norm",      "norm.mlp",         scale("d")),
            part("ffn.proj_1",    "mlp.gate_up",      linear("d -> ff + ff", packs="gate up")),
            part("ffn.proj_2",    "mlp.down",         linear("ff -> d")))))
