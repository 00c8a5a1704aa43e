"""DBRX.

modeling_dbrx.py: key heads come from `attn_config.kv_n_heads`, not from the top-level key; the experts of a layer are
below one another in one matrix each, [experts * width, d], the down matrix too; norms without bias.
"""

from inspector.architectures.blocks import TRANSFORMER
from inspector.notation.definition import Architecture, Dims, part, rows, under
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
            part("ffn.experts.mlp.w1",           "mlp.gate",         param("E*ff d")),
            part("ffn.experts.mlp.v1",           "mlp.up",           param("E*ff d")),
            part("ffn.experts.mlp.w2",           "mlp.down",         param("E*ff d")))))
