"""DBRX.

modeling_dbrx.py: key heads come from `attn_config.kv_n_heads`, not from the top-level key; the experts of a layer are
below one another in one matrix each, [experts * width, d], the down matrix too; norms without bias.
"""

from inspector.architectures.blocks import TRANSFORMER
from inspector.notation.definition import Architecture, Dims, either, part, rows, under
from inspector.notation.kinds import linear, param, scale, table

DBRX = Architecture("dbrx", heads=TRANSFORMER,
    dims=Dims(V="vocab_size", d="d_model", L="n_layers", h="n_heads", dh="d/h", kv="attn_config.kv_n_heads",
              ff="ffn_config.ffn_hidden_size", E="ffn_config.moe_num_experts", C="labels"),
    parts=rows(
        part("wte",    "embed.token", table("V d")),
        part("norm_f", "norm.final",  scale("d")),
        under("blocks.{L}",
            part("norm_attn_norm.norm_1",        "norm.attention",   scale("d")),
            part("norm_attn_norm.attn.Wqkv",     "attention.qkv",    linear("d -> d + kv*dh + kv*dh", packs="q k v")),
            part("norm_attn_norm.attn.out_proj", "attention.output", linear("d -> d")),
            part("norm_attn_norm.norm_2",        "norm.mlp",         scale("d")),
            part("ffn.router.layer",             "router",           linear("d -> E")),
            either(
                under("ffn.experts.mlp",
                    part("w1", "mlp.gate", param("E*ff d")),
                    part("v1", "mlp.up",   param("E*ff d")),
                    part("w2", "mlp.down", param("E*ff d"))),
                under("ffn.experts.{E}",                      # mlx-lm's, one by one
                    part("w1", "mlp.gate", linear("d -> ff")),
                    part("v1", "mlp.up",   linear("d -> ff")),
                    part("w2", "mlp.down", linear("ff -> d")))))))
