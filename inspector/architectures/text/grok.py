"""Grok 1 as keyfan/grok-1-hf has it (code of its own): every layer is a mixture, with four norms."""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import linear, scale, table

# no record exercises this definition
GROK = Architecture("grok-1",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads",
              kv="num_key_value_heads | h", dh="head_dim | d/h", ff="intermediate_size",
              E="num_experts | num_local_experts"),
    heads=(
        head("Model",       ""),
        head("ForCausalLM", "transformer.", part("lm_head", "head.token", linear("d -> V"), tied="embed.token"),
             default=True)),
    parts=rows(
        part("in_out_embed",   "embed.token", table("V d")),
        part("rms_norm",   "norm.final",  scale("d")),
        under("decoder_layer.{L}",
            part("rms_norm",   "norm.attention",      scale("d")),
            part("rms_norm_1", "norm.attention.post", scale("d")),
            part("rms_norm_2", "norm.mlp",            scale("d")),
            part("rms_norm_3", "norm.mlp.post",       scale("d")),
            part("multi_head_attention.query",  "attention.query",  linear("d -> h*dh")),
            part("multi_head_attention.key",    "attention.key",    linear("d -> kv*dh")),
            part("multi_head_attention.value",  "attention.value",  linear("d -> kv*dh")),
            part("multi_head_attention.linear", "attention.output", linear("h*dh -> d")),
            part("router",                      "router",           linear("d -> E")),
            under("moe.{E}",
                part("linear",   "mlp.gate", linear("d -> ff")),
                part("linear_v", "mlp.up",   linear("d -> ff")),
                part("linear_1", "mlp.down", linear("ff -> d"))))))
